#include "hasa/kg/read/delimited.h"

#include <fmt/format.h>

#include "hasa/base/shown_text.h"
#include "hasa/base/utf8.h"
#include "hasa/kg/read/kgtk.h"

namespace hasa {
namespace {

RecordShape shape_of_columns(const Delimited& as) {
  RecordShape shape = triple_shape(as.format);
  if (as.fields > 3) shape.expected = fmt::format("{} fields separated by {}", as.fields, separator_words(as.format));
  shape.least_fields = shape.most_fields = as.fields;
  if (as.head != 0 || as.relation != 1 || as.tail != 2) shape.ids = {};
  return shape;
}

/// What the shape does not say: the columns of a triple, wherever they are, may not be empty.
LineProblem problem_of_columns(const Record& record, const Delimited& as) {
  for (const auto& [column, name] :
       {std::pair{as.head, "head"}, std::pair{as.relation, "relation"}, std::pair{as.tail, "tail"}}) {
    if (!record.fields[column].empty()) continue;
    return {fmt::format("expected a {} in column {}, found nothing: \"{}\"", name, column + 1,
                        shown(record.raw, kShownOfALine)),
            1};
  }
  return {};
}

class DelimitedPiece {
 public:
  DelimitedPiece(const Delimited& as, const RdfTexts& texts, Statements& into)
      : as_(as), texts_(texts), into_(into), shape_(shape_of_columns(as)) {}

  void read(std::string_view piece, bool first) {
    const bool valid_utf8 = find_invalid_utf8(piece) == std::string_view::npos;
    RecordReader reader(piece, as_.format);
    Record record;
    if (first && as_.header) reader.next(record);
    while (reader.next(record)) {
      if (is_blank(record)) continue;
      if (!is_good(record, valid_utf8)) {
        LineProblem problem = problem_of(record, shape_, valid_utf8);
        if (problem.what.empty()) problem = problem_of_columns(record, as_);
        if (!problem.what.empty()) {
          into_.problems.add("", record.line, problem);
          continue;
        }
      }
      add(record);
    }
    into_.lines = reader.line() - 1;
  }

 private:
  bool is_good(const Record& record, bool valid_utf8) const {
    return valid_utf8 && record.bad_quoting == nullptr && record.count == as_.fields &&
           !record.fields[as_.head].empty() && !record.fields[as_.relation].empty() && !record.fields[as_.tail].empty();
  }

  void add(const Record& record) {
    const std::string_view head = record.fields[as_.head], tail = record.fields[as_.tail];
    const std::string_view relation = record.fields[as_.relation];
    if (as_.kgtk) return add_kgtk_edge(head, relation, tail, texts_, into_);
    if (as_.time && !add_time(record)) return;
    // A field that held doubled quotes stands in the reader, which goes before its ids do.
    const auto stays = [&](std::string_view field) {
      return field.data() >= record.raw.data() && field.data() <= record.raw.data() + record.raw.size();
    };
    const auto kept = [&](std::string_view field) { return stays(field) ? field : into_.arena.keep(field); };
    into_.add(kept(head), kept(relation), kept(tail));
  }

  bool add_time(const Record& record) {
    const std::string_view field = record.fields[*as_.time];
    const auto time = field.empty() ? std::optional(INT64_MIN) : time_in(field, as_.time_form);
    if (time) {
      into_.times.push_back(*time);
    } else {
      into_.problems.add("", record.line,
                         {fmt::format("expected a {} in column {}, found \"{}\"",
                                      as_.time_form == TimeForm::date ? "date, as 2014-05-01" : "whole number",
                                      *as_.time + 1, shown(field, kShownOfALine)),
                          0});
    }
    return time.has_value();
  }

  const Delimited& as_;
  const RdfTexts& texts_;
  Statements& into_;
  RecordShape shape_;
};

}  // namespace

void parse_delimited(std::string_view piece, bool first, const Delimited& as, const RdfTexts& texts, Statements& into) {
  DelimitedPiece(as, texts, into).read(piece, first);
}

}  // namespace hasa
