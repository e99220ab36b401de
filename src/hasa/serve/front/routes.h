#pragma once

#include <span>
#include <string>
#include <string_view>

#include "hasa/http/message.h"
#include "hasa/serve/front/access.h"

namespace hasa {

enum class Route {
  page,
  page_file,
  health,
  ready,
  metrics,
  openapi,
  predict,
  score,
  explain,
  run,
  relations,
  search_entities,
  get_entity,
  put_entity,
  delete_entity,
  add_triples,
  remove_triples,
};

struct RouteEntry {
  Route route;
  std::string_view method;
  std::string_view pattern;  // its last segment may be {id} or {file}, which stands for all that follows
  Needs needs;
  bool is_here;           // answered whether or not a run is open
  std::string_view name;  // in metrics
};

/// All there are; /openapi.json describes them.
std::span<const RouteEntry> routes();

struct RouteMatch {
  const RouteEntry* entry;
  std::string argument;  // what {id} stands for, decoded
};

/// Throws Problem: not_found with what there is instead, malformed where the path does not decode. HEAD is asked as
/// GET.
RouteMatch match_route(const HttpRequest& request);

/// Null where there is none.
const RouteEntry* find_route(std::string_view method, std::string_view path);

}  // namespace hasa
