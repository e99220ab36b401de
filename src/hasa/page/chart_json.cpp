#include <limits>
#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/page/chart.h"

namespace hasa {
namespace {

using Json = nlohmann::ordered_json;

Json list(const auto& items, const auto& json_of_one) {
  Json array = Json::array();
  for (const auto& item : items) array.push_back(json_of_one(item));
  return array;
}

Json json_of(const ChartLevel& level) { return {{"name", level.name}, {"value", level.value}}; }
Json levels(const std::vector<ChartLevel>& all) {
  return list(all, [](const ChartLevel& one) { return json_of(one); });
}

void add_interval(Json& json, const std::optional<Interval>& interval) {
  if (interval) json["interval"] = {interval->low, interval->high};
}

Json heading(const char* kind, const ChartText& text) {
  return {{"kind", kind}, {"id", text.id}, {"title", text.title}, {"description", text.description}};
}

Json json_of(const Bar& bar) {
  Json json{{"label", bar.label}, {"value", bar.value}};
  add_interval(json, bar.interval);
  if (!bar.note.empty()) json["note"] = bar.note;
  if (!bar.others.empty()) json["others"] = levels(bar.others);
  if (bar.faint) json["faint"] = true;
  return json;
}

Json json_of(const ChartAxis& axis) {
  Json json{{"label", axis.label}, {"logarithmic", axis.logarithmic}, {"whole", axis.whole}};
  if (axis.low) json["low"] = *axis.low;
  if (axis.high) json["high"] = *axis.high;
  return json;
}

Json json_of(const ChartPoint& point) {
  Json json{{"x", point.x}, {"y", point.y}};
  add_interval(json, point.interval);
  if (!point.note.empty()) json["note"] = point.note;
  return json;
}

Json json_of(const ChartSeries& series) {
  return {{"name", series.name},
          {"points", list(series.points, [](const ChartPoint& point) { return json_of(point); })}};
}

Json json_of(const BarChart& chart) {
  Json json = heading("bars", chart.text);
  json["bars"] = list(chart.bars, [](const Bar& bar) { return json_of(bar); });
  json["levels"] = levels(chart.levels);
  return json;
}

Json json_of(const Histogram& chart) {
  Json json = heading("histogram", chart.text);
  json["counted"] = chart.counted;
  json["buckets"] = list(chart.buckets, [](const Histogram::Bucket& bucket) {
    return Json{{"label", bucket.label}, {"count", bucket.count}, {"name", bucket.name}};
  });
  return json;
}

Json json_of(const XyChart& chart) {
  Json json = heading("xy", chart.text);
  json["x"] = json_of(chart.x);
  json["y"] = json_of(chart.y);
  json["series"] = list(chart.series, [](const ChartSeries& series) { return json_of(series); });
  json["levels"] = levels(chart.levels);
  json["joined"] = chart.joined;
  json["diagonal"] = chart.diagonal;
  return json;
}

// Reading. at() throws when a key is missing, get() when the type is another; both say which.

template <class T>
T get(const Json& json, const char* key) {
  return json.at(key).get<T>();
}
template <class T>
T get_or(const Json& json, const char* key, T otherwise) {
  return json.contains(key) ? json.at(key).get<T>() : otherwise;
}

/// Values that are not finite are null in JSON.
double number(const Json& json, const char* key) {
  return json.at(key).is_null() ? std::numeric_limits<double>::quiet_NaN() : json.at(key).get<double>();
}

std::optional<Interval> interval_of(const Json& json) {
  if (!json.contains("interval")) return std::nullopt;
  return Interval{json.at("interval").at(0).get<double>(), json.at("interval").at(1).get<double>()};
}

std::optional<double> optional_number(const Json& json, const char* key) {
  return json.contains(key) ? std::optional(json.at(key).get<double>()) : std::nullopt;
}

template <class T>
std::vector<T> read_list(const Json& json, const char* key, T (*read)(const Json&)) {
  std::vector<T> items;
  if (!json.contains(key)) return items;
  for (const Json& item : json.at(key)) items.push_back(read(item));
  return items;
}

ChartText read_text(const Json& json) {
  return {get<std::string>(json, "id"), get<std::string>(json, "title"), get<std::string>(json, "description")};
}

ChartLevel read_level(const Json& json) { return {get<std::string>(json, "name"), get<double>(json, "value")}; }

Bar read_bar(const Json& json) {
  return {.label = get<std::string>(json, "label"),
          .value = number(json, "value"),
          .interval = interval_of(json),
          .note = get_or<std::string>(json, "note", ""),
          .others = read_list(json, "others", read_level),
          .faint = get_or(json, "faint", false)};
}

Histogram::Bucket read_bucket(const Json& json) {
  return {get<std::string>(json, "label"), get<std::int64_t>(json, "count"), get<std::string>(json, "name")};
}

ChartAxis read_axis(const Json& json) {
  return {.label = get<std::string>(json, "label"),
          .logarithmic = get_or(json, "logarithmic", false),
          .low = optional_number(json, "low"),
          .high = optional_number(json, "high"),
          .whole = get_or(json, "whole", false)};
}

ChartPoint read_point(const Json& json) {
  return {number(json, "x"), number(json, "y"), interval_of(json), get_or<std::string>(json, "note", "")};
}

ChartSeries read_series(const Json& json) {
  return {get<std::string>(json, "name"), read_list(json, "points", read_point)};
}

Chart read_chart(const Json& json) {
  const auto kind = get<std::string>(json, "kind");
  if (kind == "bars")
    return BarChart{read_text(json), read_list(json, "bars", read_bar), read_list(json, "levels", read_level)};
  if (kind == "histogram")
    return Histogram{read_text(json), get<std::string>(json, "counted"), read_list(json, "buckets", read_bucket)};
  HASA_CHECK(kind == "xy", data, "a chart of the kind \"{}\"; the kinds are bars, histogram and xy", kind);
  return XyChart{.text = read_text(json),
                 .x = read_axis(json.at("x")),
                 .y = read_axis(json.at("y")),
                 .series = read_list(json, "series", read_series),
                 .levels = read_list(json, "levels", read_level),
                 .joined = get_or(json, "joined", true),
                 .diagonal = get_or(json, "diagonal", false)};
}

}  // namespace

std::string to_json(const Chart& chart) {
  const Json json = std::visit([](const auto& kind) { return json_of(kind); }, chart);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Chart chart_from_json(const std::string& text) {
  try {
    return read_chart(Json::parse(text));
  } catch (const Json::exception& error) {
    fail(ErrorKind::data, "a chart cannot be read from its JSON: {}", error.what());
  }
}

}  // namespace hasa
