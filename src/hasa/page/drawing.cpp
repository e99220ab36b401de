#include "hasa/page/drawing.h"

#include <fmt/format.h>

#include "hasa/base/shown_text.h"
#include "hasa/base/utf8.h"
#include "hasa/page/html.h"

namespace hasa {
namespace {

constexpr double kLegendRow = 18;
constexpr double kSignWidth = 24;
constexpr double kCharacterWidth = 6.3;  // about, at the legend's size
constexpr std::size_t kLegendCharacters = 50;

std::vector<std::size_t> starts_of_characters(const std::string& text) {
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < text.size(); next_code_point(text, at)) starts.push_back(at);
  return starts;
}

std::string sign(const LegendEntry& entry, double x, double y) {
  const std::size_t style = entry.number % kMarkers;
  switch (entry.sign) {
    case LegendEntry::Sign::bar:
      return fmt::format("<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"16\" height=\"8\" rx=\"2\"/>", x,
                         y - 4);
    case LegendEntry::Sign::level:
      return fmt::format("<path class=\"level l{}\" d=\"M{:.1f} {:.1f}h16\"/>", style, x, y);
    case LegendEntry::Sign::other: return fmt::format("<g class=\"other\">{}</g>", marker(style, x + 8, y, 4));
    case LegendEntry::Sign::line:
      return fmt::format("<g class=\"s{}\"><path class=\"line\" d=\"M{:.1f} {:.1f}h18\"/>{}</g>", style, x - 1, y,
                         marker(style, x + 8, y, 3));
    case LegendEntry::Sign::dot: return fmt::format("<g class=\"s{}\">{}</g>", style, marker(style, x + 8, y, 3.5));
  }
  return "";
}

}  // namespace

std::string marker(std::size_t number, double x, double y, double r) {
  switch (number % kMarkers) {
    case 0: return fmt::format("<circle class=\"marker\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>", x, y, r);
    case 1:
      return fmt::format("<path class=\"marker\" d=\"M{:.1f} {:.1f}l{:.1f} {:.1f}h{:.1f}z\"/>", x, y - 1.2 * r, 1.1 * r,
                         2 * r, -2.2 * r);
    case 2:
      return fmt::format("<rect class=\"marker\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
                         x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r);
    case 3:
      return fmt::format("<path class=\"marker\" d=\"M{:.1f} {:.1f}l{:.1f} {:.1f}l{:.1f} {:.1f}l{:.1f} {:.1f}z\"/>", x,
                         y - 1.3 * r, 1.3 * r, 1.3 * r, -1.3 * r, 1.3 * r, -1.3 * r, -1.3 * r);
    default:
      return fmt::format(
          "<path class=\"marker cross\" d=\"M{0:.1f} {1:.1f}l{2:.1f} {2:.1f}m0 {3:.1f}l{3:.1f} {2:.1f}\"/>", x - r,
          y - r, 2 * r, -2 * r);
  }
}

std::string spoken(const std::string& words) { return "<title>" + escape_html(words) + "</title>"; }

Drawing draw_legend(const std::vector<LegendEntry>& entries) {
  Drawing legend;
  double x = 0, y = kLegendRow / 2;
  for (const LegendEntry& entry : entries) {
    const std::string name = cut_in_the_middle(entry.name, kLegendCharacters);
    const double width = kSignWidth + kCharacterWidth * static_cast<double>(characters_of(name));
    if (x > 0 && x + width > kChartWidth) {
      x = 0;
      y += kLegendRow;
    }
    legend.body += sign(entry, x, y) + fmt::format("<text class=\"legend\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
                                                   x + kSignWidth, y + 4, escape_html(name));
    x += width + 12;
  }
  legend.height = entries.empty() ? 0 : y + kLegendRow / 2 + 6;
  return legend;
}

std::size_t characters_of(const std::string& text) { return starts_of_characters(text).size(); }

std::string cut_in_the_middle(const std::string& user_text, std::size_t characters) {
  const std::string text = shown(user_text);
  const std::vector<std::size_t> starts = starts_of_characters(text);
  if (starts.size() <= characters) return text;
  const std::size_t front = characters / 2 - 3, back = characters - front - 1;
  return text.substr(0, starts[front]) + "…" + text.substr(starts[starts.size() - back]);
}

}  // namespace hasa
