#include "hasa/page/svg.h"

#include <fmt/format.h>

#include "hasa/page/assets.h"
#include "hasa/page/drawing.h"
#include "hasa/page/html.h"

namespace hasa {
namespace {

constexpr double kMargin = 12, kTitle = 24;

Drawing drawing_of(const Chart& chart) {
  return std::visit([](const auto& kind) { return draw(kind); }, chart);
}

/// What a reader that cannot see the drawing is told.
std::string told(const ChartText& text) {
  return fmt::format("<title id=\"{0}-t\">{1}</title><desc id=\"{0}-d\">{2}</desc>\n", escape_html(text.id),
                     escape_html(text.title), escape_html(text.description));
}

}  // namespace

const ChartText& text_of(const Chart& chart) {
  return std::visit([](const auto& kind) -> const ChartText& { return kind.text; }, chart);
}

std::string to_svg(const Chart& chart) {
  const ChartText& text = text_of(chart);
  const Drawing drawing = drawing_of(chart);
  return fmt::format(
      "<svg class=\"chart\" viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-labelledby=\"{2}-t {2}-d\">{3}{4}</svg>",
      kChartWidth, drawing.height, escape_html(text.id), told(text), drawing.body);
}

std::string to_svg_file(const Chart& chart) {
  const ChartText& text = text_of(chart);
  const Drawing drawing = drawing_of(chart);
  const double width = kChartWidth + 2 * kMargin, height = drawing.height + kTitle + 2 * kMargin;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
      "{0:.0f} "
      "{1:.0f}\" role=\"img\" aria-labelledby=\"{2}-t {2}-d\">{3}<style>{4}</style>"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
      "<text class=\"heading\" x=\"{5:.0f}\" y=\"{6:.0f}\">{7}</text>"
      "<g transform=\"translate({5:.0f} {8:.0f})\">{9}</g></svg>\n",
      width, height, escape_html(text.id), told(text), kChartStyle, kMargin, kMargin + 13, escape_html(text.title),
      kMargin + kTitle, drawing.body);
}

}  // namespace hasa
