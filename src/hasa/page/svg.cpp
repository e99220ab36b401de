#include "hasa/page/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "hasa/page/assets.h"
#include "hasa/page/drawing.h"
#include "hasa/page/html.h"

namespace hasa {
namespace {

constexpr double kMargin = 12, kTitle = 24, kTitleLine = 17;
constexpr std::size_t kCharactersOfATitle = 46;  // that fit into the width

Drawing drawing_of(const Chart& chart) {
  return std::visit([](const auto& kind) { return draw(kind); }, chart);
}

/// What a reader that cannot see the drawing is told.
std::string told(const ChartText& text) {
  return fmt::format("<title id=\"{0}-t\">{1}</title><desc id=\"{0}-d\">{2}</desc>\n", escape_html(text.id),
                     escape_html(text.title), escape_html(text.description));
}

/// A title in lines that fit, broken between words.
std::vector<std::string> title_lines(const std::string& title) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < title.size();) {
    const std::size_t end = std::min(title.find(' ', at), title.size());
    const std::string word = title.substr(at, end - at);
    if (!lines.empty() && characters_of(lines.back()) + 1 + characters_of(word) <= kCharactersOfATitle)
      lines.back() += " " + word;
    else
      lines.push_back(cut_in_the_middle(word, kCharactersOfATitle));
    at = end + 1;
  }
  return lines;
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
  std::string title;
  double below = kMargin + kTitle - kTitleLine;
  for (const std::string& line : title_lines(text.title)) {
    title += fmt::format("<text class=\"heading\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>", kMargin, below + 6,
                         escape_html(line));
    below += kTitleLine;
  }
  const double width = kChartWidth + 2 * kMargin, height = drawing.height + below + kMargin;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
      "{0:.0f} "
      "{1:.0f}\" role=\"img\" aria-labelledby=\"{2}-t {2}-d\">{3}<style>{4}</style>"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
      "{5}<g transform=\"translate({6:.0f} {7:.0f})\">{8}</g></svg>\n",
      width, height, escape_html(text.id), told(text), kChartStyle, title, kMargin, below, drawing.body);
}

}  // namespace hasa
