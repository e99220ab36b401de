#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hasa {

struct TableColumn {
  std::string name;
  bool numeric = false;
  std::string definition = {};  // in one line, shown where the column's name is pointed at
};

struct TableCell {
  TableCell(std::string words) : text(std::move(words)) {}
  TableCell(const char* words) : text(words) {}
  TableCell(std::string words, double number) : text(std::move(words)), value(number) {}
  std::string text;
  std::optional<double> value;  // what it is sorted by; by its text where there is none
};

struct TableRow {
  std::vector<TableCell> cells;  // the first one names the row
  bool faint = false;
};

/// A table of a page: wider than a phone it scrolls by itself, with the keyboard too; with a script it sorts by the
/// column that is clicked.
struct PageTable {
  std::string caption;  // for those who cannot see where it stands
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;
};

std::string to_html(const PageTable& table);

}  // namespace hasa
