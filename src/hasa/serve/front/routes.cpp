#include "hasa/serve/front/routes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "hasa/base/nearest.h"
#include "hasa/base/shown_text.h"
#include "hasa/http/target.h"
#include "hasa/serve/front/problem.h"

namespace hasa {
namespace {

constexpr std::size_t kShownOfAPath = 80;

constexpr std::array<RouteEntry, 17> kRoutes = {{
    {Route::page, "GET", "/", Needs::nothing, true, "page"},
    {Route::page_file, "GET", "/page/{file}", Needs::nothing, true, "page_file"},
    {Route::health, "GET", "/health", Needs::nothing, true, "health"},
    {Route::ready, "GET", "/ready", Needs::nothing, true, "ready"},
    {Route::metrics, "GET", "/metrics", Needs::reading, true, "metrics"},
    {Route::openapi, "GET", "/openapi.json", Needs::nothing, true, "openapi"},
    {Route::predict, "POST", "/v1/predict", Needs::reading, false, "predict"},
    {Route::score, "POST", "/v1/score", Needs::reading, false, "score"},
    {Route::explain, "POST", "/v1/explain", Needs::reading, false, "explain"},
    {Route::run, "GET", "/v1/run", Needs::reading, false, "run"},
    {Route::relations, "GET", "/v1/relations", Needs::reading, false, "relations"},
    {Route::search_entities, "GET", "/v1/entities", Needs::reading, false, "search_entities"},
    {Route::get_entity, "GET", "/v1/entities/{id}", Needs::reading, false, "get_entity"},
    {Route::put_entity, "PUT", "/v1/entities/{id}", Needs::writing, false, "put_entity"},
    {Route::delete_entity, "DELETE", "/v1/entities/{id}", Needs::writing, false, "delete_entity"},
    {Route::add_triples, "POST", "/v1/triples", Needs::writing, false, "add_triples"},
    {Route::remove_triples, "DELETE", "/v1/triples", Needs::writing, false, "remove_triples"},
}};

/// What the pattern's last segment stands for, "" where it is no {...}; none where the path is another.
std::optional<std::string> matched(std::string_view pattern, const std::vector<std::string>& path) {
  const std::vector<std::string> wanted = path_segments(pattern).value();
  const bool takes_rest = pattern.ends_with('}');
  const std::size_t fixed = wanted.size() - (takes_rest ? 1 : 0);
  if (takes_rest ? path.size() < wanted.size() : path.size() != wanted.size()) return std::nullopt;
  if (!std::equal(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(fixed), path.begin()))
    return std::nullopt;
  std::string rest;
  for (std::size_t i = fixed; i < path.size(); ++i) rest += (i > fixed ? "/" : "") + path[i];
  if (takes_rest && rest.empty()) return std::nullopt;
  return rest;
}

std::string_view asked_as(std::string_view method) { return method == "HEAD" ? "GET" : method; }

[[noreturn]] void refuse_unknown(const HttpRequest& request, const std::vector<std::string>& methods) {
  const std::string path = shown(request.path, kShownOfAPath);
  if (!methods.empty()) {
    std::string list = methods.front();
    for (std::size_t i = 1; i < methods.size(); ++i) list += (i + 1 == methods.size() ? " and " : ", ") + methods[i];
    refuse(ProblemKind::not_found, "there is no {} {}; it takes {}", request.method, path, list);
  }
  std::vector<std::string> patterns;
  for (const RouteEntry& each : kRoutes) patterns.emplace_back(each.pattern);
  refuse(ProblemKind::not_found, "there is no {}{}; /openapi.json lists what there is", path,
         did_you_mean(request.path, patterns));
}

}  // namespace

std::span<const RouteEntry> routes() { return kRoutes; }

RouteMatch match_route(const HttpRequest& request) {
  const auto path = path_segments(request.path);
  if (!path) refuse(ProblemKind::malformed, "the path does not decode: write a % as %25, and other text as UTF-8");
  std::vector<std::string> methods;
  for (const RouteEntry& each : kRoutes) {
    auto argument = matched(each.pattern, *path);
    if (!argument) continue;
    if (each.method == asked_as(request.method)) return {&each, std::move(*argument)};
    methods.emplace_back(each.method);
  }
  refuse_unknown(request, methods);
}

const RouteEntry* find_route(std::string_view method, std::string_view path) {
  const auto segments = path_segments(path);
  for (const RouteEntry& each : kRoutes) {
    if (segments && each.method == asked_as(method) && matched(each.pattern, *segments)) return &each;
  }
  return nullptr;
}

}  // namespace hasa
