#include "hasa/page/page.h"

#include <fmt/format.h>

#include <map>

#include "hasa/base/error.h"
#include "hasa/page/assets.h"
#include "hasa/page/html.h"
#include "hasa/page/svg.h"

namespace hasa {
namespace {

/// Fills {{name}} in one pass, so that a value that holds such a name stays as it is.
std::string filled(std::string_view form, const std::map<std::string, std::string, std::less<>>& values) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t open = form.find("{{", at);
    out += form.substr(at, open - at);
    if (open == std::string_view::npos) return out;
    const std::size_t close = form.find("}}", open);
    HASA_ASSERT(close != std::string_view::npos);
    const auto value = values.find(form.substr(open + 2, close - open - 2));
    HASA_ASSERT(value != values.end());
    out += value->second;
    at = close + 2;
  }
}

/// JSON inside a script element must not end it.
std::string in_script(std::string json) {
  for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos; at += 6) json.replace(at, 1, "\\u003c");
  return json;
}

std::string paragraph_html(const char* kind, std::string_view text) {
  return fmt::format("<p{}>{}</p>\n", kind, escape_html(text));
}

std::string folded(std::string_view summary, const PageTable& table) {
  return fmt::format("<details><summary>{}</summary>{}</details>", escape_html(summary), to_html(table));
}

}  // namespace

Section::Section(std::string_view heading) : opening_("<section>") {
  if (!heading.empty()) opening_ += "<h2>" + escape_html(heading) + "</h2>\n";
}

Section Section::warning(std::string_view heading) {
  Section section;
  section.opening_ = "<section class=\"warning\"><h2>" + escape_html(heading) + "</h2>\n";
  return section;
}

Section& Section::add(std::string_view html, bool is_figure) {
  if (is_figure != in_figures_) body_ += is_figure ? "<div class=\"charts\">\n" : "</div>\n";
  in_figures_ = is_figure;
  body_ += html;
  return *this;
}

Section& Section::subheading(std::string_view text) { return add("<h3>" + escape_html(text) + "</h3>\n"); }
Section& Section::paragraph(std::string_view text) { return add(paragraph_html("", text)); }
Section& Section::lead(std::string_view text) { return add(paragraph_html(" class=\"lead\"", text)); }
Section& Section::remark(std::string_view text) { return add(paragraph_html(" class=\"muted\"", text)); }
Section& Section::table(const PageTable& table) { return add(to_html(table)); }
Section& Section::markup(std::string_view trusted_html) { return add(trusted_html); }

Section& Section::cards(const std::vector<Card>& cards) {
  std::string html = "<dl class=\"cards\">";
  for (const Card& card : cards)
    html += fmt::format("<div class=\"card\"><dt>{}</dt><dd>{}<small>{}</small></dd></div>", escape_html(card.name),
                        escape_html(card.value), escape_html(card.note));
  return add(html + "</dl>\n");
}

Section& Section::figure(const Chart& chart, std::string_view remark, const PageTable& numbers) {
  const ChartText& text = text_of(chart);
  return add(fmt::format("<figure id=\"{}\"><figcaption>{}{}</figcaption>\n{}\n{}"
                         "<script type=\"application/json\">{}</script></figure>\n",
                         escape_html(text.id), escape_html(text.title),
                         remark.empty() ? "" : "<small>" + escape_html(remark) + "</small>", to_svg(chart),
                         folded("Table", numbers), in_script(to_json(chart))),
             /*is_figure=*/true);
}

Section& Section::entries(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string html = "<dl class=\"entries\">\n";
  for (const auto& [name, value] : entries) {
    html += fmt::format("<div><dt>{}</dt><dd>", escape_html(name));
    // Line ends of a value are its own; everything else is shown as text.
    for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
      end = value.find('\n', at);
      html += (at == 0 ? "" : "\n") +
              escape_html(std::string_view(value).substr(at, end == std::string::npos ? end : end - at));
    }
    html += "</dd></div>\n";
  }
  return add(html + "</dl>\n");
}

Section& Section::fold(std::string_view summary, const PageTable& table) { return add(folded(summary, table)); }

std::string Section::html() const { return opening_ + body_ + (in_figures_ ? "</div>\n" : "") + "</section>\n"; }

Page::Page(std::string title, std::string lead) : title_(std::move(title)), lead_(std::move(lead)) {}

Page& Page::add(const Section& section) {
  body_ += section.html();
  return *this;
}

Page& Page::script(std::string_view trusted_javascript) {
  script_ += fmt::format("<script>{}</script>\n", trusted_javascript);
  return *this;
}

std::string Page::html() const {
  const std::string policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
  return filled(kPageTemplate, {{"policy", script_.empty() ? policy : policy + "; connect-src 'self'"},
                                {"title", escape_html(title_)},
                                {"lead", lead_.empty() ? "" : "<p>" + escape_html(lead_) + "</p>"},
                                {"chart_style", kChartStyle},
                                {"page_style", kPageStyle},
                                {"page_script", kPageScript},
                                {"more_script", script_},
                                {"body", body_}});
}

}  // namespace hasa
