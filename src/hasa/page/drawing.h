#pragma once

#include <string>
#include <vector>

#include "hasa/page/chart.h"

namespace hasa {

/// What the kinds of charts share. Lengths are units of the drawing, which is kChartWidth of them wide.
constexpr double kChartWidth = 360;

/// The inside of an <svg> and how high it is.
struct Drawing {
  std::string body;
  double height = 0;
};

Drawing draw(const BarChart& chart);
Drawing draw(const Histogram& chart);
Drawing draw(const XyChart& chart);

/// A line of the legend: a bar, a dashed level, a sign, or a line with its marker.
struct LegendEntry {
  enum class Sign : std::uint8_t { bar, level, other, line, dot } sign;
  std::size_t number = 0;  // which of the signs of its kind
  std::string name;
};
/// As many in a row as fit; nothing where there is nothing to tell apart.
Drawing draw_legend(const std::vector<LegendEntry>& entries);

/// A small sign around a place; there are kMarkers of them, then they begin again.
constexpr std::size_t kMarkers = 5;
std::string marker(std::size_t number, double x, double y, double radius);

/// "<title>...</title>", which a pointer shows.
std::string spoken(const std::string& words);

/// Relations are often told apart by how their names end, so a long text loses its middle.
std::string cut_in_the_middle(const std::string& text, std::size_t characters);
std::size_t characters_of(const std::string& text);

}  // namespace hasa
