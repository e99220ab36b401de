#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hasa/eval/bootstrap.h"

namespace hasa {

/// A value in [0, 1] with its interval, as one bar of a chart.
struct Bar {
  std::string label;
  double value = 0;
  Interval interval;
  std::string note;  // "1,296 queries"
};

/// What a chart is called, and what it says to someone who cannot see it.
struct ChartText {
  std::string id;  // unique on its page
  std::string title, description;
};

/// One bar under another, the label above each, so that long ones fit; a whisker for the interval. Drawn 360 units
/// wide: a phone shows it at its own size. Colours come from the classes .track, .bar, .whisker, .label and .value.
std::string bar_chart(const ChartText& text, const std::vector<Bar>& bars);

/// A column for each count, with the beginning of its bucket below it: 1, 2, 4, 8, ...
std::string rank_histogram_chart(const ChartText& text, const std::vector<std::int64_t>& counts);

/// For text and attributes alike.
std::string escape_html(std::string_view text);

}  // namespace hasa
