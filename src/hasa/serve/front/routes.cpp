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
    {Route::page, "GET", "/", Needs::nothing},
    {Route::page_file, "GET", "/page/{file}", Needs::nothing},
    {Route::health, "GET", "/health", Needs::nothing},
    {Route::ready, "GET", "/ready", Needs::nothing},
    {Route::metrics, "GET", "/metrics", Needs::reading},
    {Route::openapi, "GET", "/openapi.json", Needs::nothing},
    {Route::predict, "POST", "/v1/predict", Needs::reading},
    {Route::score, "POST", "/v1/score", Needs::reading},
    {Route::explain, "POST", "/v1/explain", Needs::reading},
    {Route::run, "GET", "/v1/run", Needs::reading},
    {Route::relations, "GET", "/v1/relations", Needs::reading},
    {Route::search_entities, "GET", "/v1/entities", Needs::reading},
    {Route::get_entity, "GET", "/v1/entities/{id}", Needs::reading},
    {Route::put_entity, "PUT", "/v1/entities/{id}", Needs::writing},
    {Route::delete_entity, "DELETE", "/v1/entities/{id}", Needs::writing},
    {Route::add_triples, "POST", "/v1/triples", Needs::writing},
    {Route::remove_triples, "DELETE", "/v1/triples", Needs::writing},
}};

/// What the pattern's last segment stands for, "" where it is no {...}; none where the path is another.
std::optional<std::string> matched(std::string_view pattern, const std::vector<std::string>& path) {
  const std::vector<std::string> wanted = path_segments(pattern).value();
  const bool takes_rest = pattern.ends_with('}');
  const std::size_t fixed = wanted.size() - (takes_rest ? 1 : 0);
  if (takes_rest ? path.size() < wanted.size() : path.size() != wanted.size()) return std::nullopt;
  if (!std::equal(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(fixed), path.begin())) return std::nullopt;
  std::string rest;
  for (std::size_t i = fixed; i < path.size(); ++i) rest += (i > fixed ? "/" : "") + path[i];
  if (takes_rest && rest.empty()) return std::nullopt;
  return rest;
}

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
  const std::string_view method = request.method == "HEAD" ? "GET" : std::string_view(request.method);
  std::vector<std::string> methods;
  for (const RouteEntry& each : kRoutes) {
    auto argument = matched(each.pattern, *path);
    if (!argument) continue;
    if (each.method == method) return {&each, std::move(*argument)};
    methods.emplace_back(each.method);
  }
  refuse_unknown(request, methods);
}

}  // namespace hasa
