#include "hasa/page/table.h"

#include <fmt/format.h>

#include "hasa/base/error.h"
#include "hasa/page/html.h"

namespace hasa {
namespace {

constexpr std::size_t kTallRows = 30;

std::string head(const TableColumn& column) {
  return fmt::format("<th scope=\"col\"{}{}>{}</th>", column.numeric ? " class=\"number\"" : "",
                     column.definition.empty() ? "" : " title=\"" + escape_html(column.definition) + "\"",
                     escape_html(column.name));
}

std::string cell(const TableCell& cell, const TableColumn& column, bool first) {
  const std::string value = cell.value ? fmt::format(" data-value=\"{}\"", *cell.value) : "";
  return fmt::format("<{0}{1}{2}>{3}</{4}>", first ? "th scope=\"row\"" : "td",
                     column.numeric && !first ? " class=\"number\"" : "", value, escape_html(cell.text),
                     first ? "th" : "td");
}

std::string line(const TableRow& row, const std::vector<TableColumn>& columns) {
  HASA_ASSERT(row.cells.size() == columns.size());
  std::string html = row.faint ? "<tr class=\"faint\">" : "<tr>";
  for (std::size_t k = 0; k < columns.size(); ++k) html += cell(row.cells[k], columns[k], k == 0);
  return html + "</tr>\n";
}

}  // namespace

std::string to_html(const PageTable& table) {
  std::string html = fmt::format(
      "<div class=\"scroll{0}\" role=\"region\" tabindex=\"0\" aria-label=\"{1}\"><table class=\"sortable\">"
      "<caption>{1}</caption><thead><tr>",
      table.rows.size() > kTallRows ? " tall" : "", escape_html(table.caption));
  for (const TableColumn& column : table.columns) html += head(column);
  html += "</tr></thead><tbody>\n";
  for (const TableRow& row : table.rows) html += line(row, table.columns);
  return html + "</tbody></table></div>\n";
}

}  // namespace hasa
