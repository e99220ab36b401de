#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "hasa/base/interval.h"

namespace hasa {

/// What a chart is called, and what it says to someone who cannot see it.
struct ChartText {
  std::string id;  // unique on its page
  std::string title, description;
};

/// A value to compare with, drawn across the whole chart: chance, a floor, the mean of all.
struct ChartLevel {
  std::string name;
  double value = 0;
};

/// A share in [0, 1] as one bar.
struct Bar {
  std::string label;
  double value = 0;
  std::optional<Interval> interval = {};
  std::string note = {};                // "1,296 queries"
  std::vector<ChartLevel> others = {};  // what others reach on the same, as small signs on the bar
  bool faint = false;                   // too little behind it to be read as a result: grey, without its interval
};

/// One bar under another, the label above each, so that long ones fit.
struct BarChart {
  ChartText text;
  std::vector<Bar> bars;
  std::vector<ChartLevel> levels = {};
};

/// How many fell into each of a row of buckets.
struct Histogram {
  struct Bucket {
    std::string label;  // short: it stands under the column
    std::int64_t count = 0;
    std::string name;  // "ranks 4 to 7"
  };
  ChartText text;
  std::string counted;  // "queries"
  std::vector<Bucket> buckets;
};

struct ChartAxis {
  std::string label;
  bool logarithmic = false;
  std::optional<double> low = {}, high = {};  // where it begins and ends; by the data where not said
  bool whole = false;                         // whole numbers are written beside it only: epochs
};

struct ChartPoint {
  double x = 0, y = 0;
  std::optional<Interval> interval = {};  // of y
  std::string note = {};                  // said of this point when it is pointed at
};

struct ChartSeries {
  std::string name;
  std::vector<ChartPoint> points;  // points that are not finite are left out
};

/// Points in a plane: joined they are lines or a curve (training, ROC), otherwise a scatter. Series differ in colour,
/// dashes and marker, so that they are told apart in grey too.
struct XyChart {
  ChartText text;
  ChartAxis x, y;
  std::vector<ChartSeries> series;
  std::vector<ChartLevel> levels = {};  // values of y
  bool joined = true;
  bool diagonal = false;  // y = x, dashed: what a guess comes to
};

using Chart = std::variant<BarChart, Histogram, XyChart>;

const ChartText& text_of(const Chart& chart);

/// All that is drawn, as one JSON object, and back: {"kind": "bars", "title": ..., "bars": [{"label": ...}]}; the other
/// kinds are "histogram" and "xy". Reading throws data and says what is missing or of the wrong type.
std::string to_json(const Chart& chart);
Chart chart_from_json(const std::string& json);

}  // namespace hasa
