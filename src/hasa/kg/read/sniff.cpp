#include "hasa/kg/read/sniff.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "hasa/base/error.h"
#include "hasa/base/nearest.h"
#include "hasa/base/number_in.h"
#include "hasa/base/shown_text.h"
#include "hasa/kg/read/byte_source.h"

namespace hasa {
namespace {

constexpr std::size_t kRecordsLookedAt = 200;
constexpr std::string_view kSeparators = "\t,;| ";

using Row = std::vector<std::string>;

/// The first records, without one that the sample cuts off.
std::vector<Row> rows_of(std::string_view beginning, const RecordFormat& format) {
  if (const std::size_t end = beginning.rfind('\n'); end != std::string_view::npos)
    beginning = beginning.substr(0, end + 1);
  std::vector<Row> rows;
  RecordReader reader(beginning, format);
  for (Record record; rows.size() < kRecordsLookedAt && reader.next(record);) {
    if (is_blank(record) || record.bad_quoting != nullptr) continue;
    const std::size_t size = std::min(record.count, Record::kMostFields);
    rows.emplace_back(record.fields.begin(), record.fields.begin() + static_cast<std::ptrdiff_t>(size));
  }
  return rows;
}

/// The part of the rows that have the commonest number of fields, where that is large enough to be of any use.
double agreement(const std::vector<Row>& rows, std::size_t least_fields) {
  std::map<std::size_t, std::size_t> sizes;
  for (const Row& row : rows) ++sizes[row.size()];
  std::size_t most = 0;
  for (const auto& [size, count] : sizes) {
    if (size >= least_fields) most = std::max(most, count);
  }
  return rows.empty() ? 0 : static_cast<double>(most) / static_cast<double>(rows.size());
}

/// In lower case, without what tools put around the word: ":START_ID" is "start".
std::string bare_word(std::string_view text) {
  std::string word;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') {
      word += static_cast<char>(c - 'A' + 'a');
    } else if (c != ' ' && c != ':' && c != '"' && c != '#') {
      word += c;
    }
  }
  for (const std::string_view ending : {"_id", "_uri", "_iri"}) {
    if (word.ends_with(ending)) word.resize(word.size() - ending.size());
  }
  return word;
}

const std::set<std::string, std::less<>> kHeadWords = {"head",  "subject", "subj", "source", "src", "from",
                                                       "start", "h",       "s",    "node1",  "x"};
const std::set<std::string, std::less<>> kRelationWords = {
    "relation", "relationship", "predicate", "property", "pred", "edge", "link", "type", "label", "rel", "r", "p"};
const std::set<std::string, std::less<>> kTailWords = {"tail", "object", "obj", "target", "tgt",   "to", "end",
                                                       "dst",  "t",      "o",   "dest",   "node2", "y"};
const std::set<std::string, std::less<>> kTimeWords = {"time", "date", "timestamp", "year"};

std::optional<std::size_t> column_called(const Row& header, const std::set<std::string, std::less<>>& words) {
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (words.contains(bare_word(header[i]))) return i;
  }
  return std::nullopt;
}

bool is_header(const Row& row) {
  return column_called(row, kHeadWords) && column_called(row, kRelationWords) && column_called(row, kTailWords);
}

/// None of its words occurs in its column again, though the relations of the others repeat.
bool looks_like_header(const std::vector<Row>& rows) {
  constexpr std::size_t kFewestRows = 10;
  if (rows.size() < kFewestRows || rows[0].size() < 3) return false;
  std::set<std::string> relations;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].size() != rows[0].size()) continue;
    for (std::size_t column = 0; column < 3; ++column) {
      if (rows[i][column] == rows[0][column]) return false;
    }
    relations.insert(rows[i][1]);
  }
  return 3 * relations.size() < rows.size();
}

std::size_t column_of_wish(const std::string& wish, const Row& header, bool has_header) {
  if (const auto number = number_in<std::size_t>(wish)) {
    HASA_CHECK(*number >= 1 && *number <= header.size(), config, "--columns names column {}, and there are {}", wish,
               header.size());
    return *number - 1;
  }
  HASA_CHECK(has_header, config, "--columns names \"{}\", but the file has no header\nnumbers do as well: 1,2,3", wish);
  const auto found = std::find(header.begin(), header.end(), wish);
  HASA_CHECK(found != header.end(), config, "the header has no column \"{}\"{}", wish, did_you_mean(wish, header));
  return static_cast<std::size_t>(found - header.begin());
}

void choose_wished_columns(const std::string& wishes, const Row& header, Delimited& as) {
  std::vector<std::size_t> columns;
  for (std::size_t at = 0; at <= wishes.size();) {
    const std::size_t comma = std::min(wishes.find(',', at), wishes.size());
    columns.push_back(column_of_wish(wishes.substr(at, comma - at), header, as.header));
    at = comma + 1;
  }
  HASA_CHECK(columns.size() == 3 || columns.size() == 4, config,
             "--columns is \"{}\", expected those of head, relation and tail, and of the time if there is one", wishes);
  as.head = columns[0];
  as.relation = columns[1];
  as.tail = columns[2];
  if (columns.size() == 4) as.time = columns[3];
  as.fields = header.size();
}

/// The form of a column's times, if all that is in it is one.
std::optional<TimeForm> time_form(const std::vector<Row>& rows, std::size_t column, std::size_t first_row) {
  std::size_t times = 0;
  for (const TimeForm form : {TimeForm::number, TimeForm::date}) {
    times = 0;
    bool all = true;
    for (std::size_t i = first_row; all && i < rows.size(); ++i) {
      if (rows[i].size() <= column) continue;
      all = time_in(rows[i][column], form).has_value();
      ++times;
    }
    if (all && times > 0) return form;
  }
  return std::nullopt;
}

void choose_columns(const std::vector<Row>& rows, const DelimitedWishes& wishes, Sniffed& sniffed) {
  Delimited& as = sniffed.as;
  if (rows.empty()) return;
  const Row& first = rows[0];
  as.header = wishes.header.value_or(is_header(first));
  if (!wishes.columns.empty()) {
    choose_wished_columns(wishes.columns, first, as);
  } else if (as.header && is_header(first)) {
    as.head = *column_called(first, kHeadWords);
    as.relation = *column_called(first, kRelationWords);
    as.tail = *column_called(first, kTailWords);
    as.time = column_called(first, kTimeWords);
    as.fields = first.size();
    as.kgtk = first[as.head] == "node1" && first[as.relation] == "label" && first[as.tail] == "node2";
  } else if (as.header) {
    as.fields = std::max<std::size_t>(3, first.size());
  } else if (first.size() == 4 && time_form(rows, 3, 0) == TimeForm::date) {
    as.time = 3;  // a whole number might be a count or a weight: those must be asked for
    as.fields = 4;
  }
  if (as.kgtk) as.time.reset();
  if (as.time) as.time_form = time_form(rows, *as.time, as.header ? 1 : 0).value_or(TimeForm::date);

  if (as.header && !wishes.header)
    sniffed.said.push_back(
        fmt::format("its first line names the columns ({}); --no-header reads it as a triple", fmt::join(first, ", ")));
  if (as.time)
    sniffed.said.push_back(fmt::format("column {} holds the time ({}); hasa split --by time uses it", *as.time + 1,
                                       rows[std::min<std::size_t>(as.header ? 1 : 0, rows.size() - 1)][*as.time]));
  if (as.kgtk) sniffed.said.emplace_back("its columns are KGTK's, and its values are read in KGTK's notation");
  if (!wishes.header && !as.header && looks_like_header(rows))
    sniffed.warning.push_back(
        fmt::format("its first line looks like a header ({}), and was read as a triple; --header leaves it out",
                    shown(fmt::format("{}", fmt::join(first, ", ")), 80)));
}

bool all_quoted(std::string_view beginning, char separator) {
  const std::vector<Row> rows = rows_of(beginning, {separator, false});
  if (rows.empty()) return false;
  for (const Row& row : rows) {
    for (const std::string& field : row) {
      if (field.size() < 2 || field.front() != '"' || field.back() != '"') return false;
    }
  }
  return true;
}

char usual_separator(std::string_view name) {
  std::string lower(unpacked_name(name));
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower.ends_with(".csv") ? ',' : '\t';
}

}  // namespace

RecordFormat sniff_format(const std::string& name, std::string_view beginning, std::size_t least_fields,
                          const DelimitedWishes& wishes) {
  constexpr double kTooFew = 0.5, kEnough = 0.9;
  const auto format_with = [&](char separator) {
    const bool comma_like = separator == ',' || separator == ';';
    return RecordFormat{separator, wishes.quotes.value_or(comma_like || all_quoted(beginning, separator))};
  };
  if (wishes.separator) return format_with(*wishes.separator);
  const RecordFormat usual = format_with(usual_separator(name));
  if (agreement(rows_of(beginning, usual), least_fields) >= kTooFew) return usual;
  for (const char separator : kSeparators) {
    const RecordFormat other = format_with(separator);
    if (agreement(rows_of(beginning, other), least_fields) >= kEnough) return other;
  }
  return usual;
}

Sniffed sniff_delimited(const std::string& name, std::string_view beginning, const DelimitedWishes& wishes) {
  Sniffed sniffed;
  sniffed.as.format = sniff_format(name, beginning, 3, wishes);
  if (!wishes.separator && sniffed.as.format.separator != usual_separator(name))
    sniffed.said.push_back(
        fmt::format("its fields are separated by {}; --separator overrides this", separator_words(sniffed.as.format)));
  if (!wishes.quotes && sniffed.as.format.quotes && sniffed.as.format.separator == '\t')
    sniffed.said.emplace_back("its fields are all quoted, and read without the quotes; --no-quotes keeps them");
  choose_columns(rows_of(beginning, sniffed.as.format), wishes, sniffed);
  return sniffed;
}

}  // namespace hasa
