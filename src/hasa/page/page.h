#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hasa/page/chart.h"
#include "hasa/page/table.h"

namespace hasa {

/// A number that stands out, with what it is called and a line on what it means.
struct Card {
  std::string name, value, note;
};

/// A part of a page. Everything given as text is shown as text, whatever it holds; pieces stand in the order they
/// were added.
class Section {
 public:
  /// Without a heading it goes on under the one before.
  explicit Section(std::string_view heading = "");
  /// On a coloured ground: what must not be mistaken for the rest.
  static Section warning(std::string_view heading);

  Section& subheading(std::string_view text);
  Section& paragraph(std::string_view text);
  /// Larger: the sentence to remember.
  Section& lead(std::string_view text);
  /// Smaller and grey: how to read what follows.
  Section& remark(std::string_view text);
  Section& cards(const std::vector<Card>& cards);
  Section& table(const PageTable& table);
  /// A chart with its title as caption, a line under that, and its numbers folded below. Figures that follow each
  /// other stand side by side where there is room.
  Section& figure(const Chart& chart, std::string_view remark, const PageTable& numbers);
  /// Names and what they stand for, one under the other.
  Section& entries(const std::vector<std::pair<std::string, std::string>>& entries);
  /// Closed until it is clicked.
  Section& fold(std::string_view summary, const PageTable& table);
  /// As it is: for forms, and never for text that came from outside.
  Section& markup(std::string_view trusted_html);

  std::string html() const;

 private:
  Section& add(std::string_view html, bool is_figure = false);

  std::string opening_, body_;
  bool in_figures_ = false;
};

/// A page that needs nothing from anywhere: style, script and data are in it, and it can be read, printed and saved
/// without the script. Light and dark, on a desk, a phone and paper.
///
///   Page page{"all-MiniLM-L6-v2 on WordNet's animals", "Every triple of the test split, asked from both ends."};
///   page.add(Section("Result").lead("First in 50%.").figure(chart, "with 95% intervals", numbers));
///   write_file("report.html", page.html());
class Page {
 public:
  explicit Page(std::string title, std::string lead = "");

  Page& add(const Section& section);
  /// A script of its own, after the page's (page.js); it may ask the server that the page came from, nobody else.
  Page& script(std::string_view trusted_javascript);

  std::string html() const;

 private:
  std::string title_, lead_, body_, script_;
};

}  // namespace hasa
