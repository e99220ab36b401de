#include "hasa/kg/read/ntriples.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "hasa/base/error.h"
#include "hasa/base/shown_text.h"
#include "hasa/base/utf8.h"

namespace hasa {
namespace {

/// Where a line stops making sense, and why.
struct Malformed {
  const char* at;
  const char* why;
};

bool is_space(char c) { return c == ' ' || c == '\t'; }

/// What ends the plain run of an IRI: its bracket, an escape, or what may not be in it.
constexpr std::array<bool, 256> kStopsIri = [] {
  std::array<bool, 256> stops{};
  for (int c = 0; c <= 0x20; ++c) stops[static_cast<std::size_t>(c)] = true;
  for (const char c : {'<', '>', '"', '\\'}) stops[static_cast<unsigned char>(c)] = true;
  return stops;
}();

constexpr std::array<bool, 256> kInLabel = [] {
  std::array<bool, 256> in{};
  for (int c = 0; c < 256; ++c)
    in[static_cast<std::size_t>(c)] = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                      c == '_' || c == '-' || c == '.' || c == ':' || c >= 0x80;
  return in;
}();

/// Steps through the terms of one line.
class StatementLine {
 public:
  explicit StatementLine(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) {}

  /// False for a line with nothing on it. Throws Malformed.
  bool read(RdfTerm& subject, RdfTerm& predicate, RdfTerm& object) {
    skip_space();
    if (at_ == end_ || *at_ == '#') return false;
    subject = node("a subject: <IRI> or _:label", escaped_[0]);
    predicate = iri("a predicate: <IRI>", escaped_[1]);
    object = at_end('"') ? literal() : node("an object: <IRI>, _:label or \"text\"", escaped_[2]);
    skip_space();
    if (at_ != end_ && *at_ != '.') node("a graph name or the full stop that ends a statement", escaped_[3]);
    if (at_ == end_ || *at_ != '.') throw Malformed{at_, "expected the full stop that ends a statement"};
    ++at_;
    skip_space();
    if (at_ != end_ && *at_ != '#') throw Malformed{at_, "expected nothing after the full stop"};
    return true;
  }

 private:
  bool at_end(char c) const { return at_ != end_ && *at_ == c; }

  void skip_space() {
    while (at_ != end_ && is_space(*at_)) ++at_;
  }

  RdfTerm node(const char* expected, std::string& buffer) {
    if (at_end('<')) return iri(expected, buffer);
    if (end_ - at_ < 3 || at_[0] != '_' || at_[1] != ':') fail_expecting(expected);
    const char* const begin = at_ += 2;
    while (at_ != end_ && kInLabel[static_cast<unsigned char>(*at_)]) ++at_;
    while (at_ != begin && at_[-1] == '.') --at_;  // the statement's full stop may follow at once
    if (at_ == begin) throw Malformed{at_, "expected a label after _:"};
    const std::string_view label(begin, static_cast<std::size_t>(at_ - begin));
    skip_space();
    return {RdfTerm::Kind::blank, label, {}, true};
  }

  RdfTerm iri(const char* expected, std::string& buffer) {
    if (!at_end('<')) fail_expecting(expected);
    if (end_ - at_ > 1 && at_[1] == '<') throw Malformed{at_, "statements about statements (<< >>) are not read"};
    const char* const begin = ++at_;
    bool plain = true;
    for (;; ++at_) {
      while (at_ != end_ && !kStopsIri[static_cast<unsigned char>(*at_)]) ++at_;
      if (at_ == end_) throw Malformed{begin - 1, "expected a > that closes the IRI"};
      if (*at_ == '>') break;
      if (*at_ != '\\') throw Malformed{at_, "expected an IRI without spaces, quotes, < and control characters"};
      plain = false;
    }
    const std::string_view raw(begin, static_cast<std::size_t>(at_ - begin));
    if (raw.find(':') == std::string_view::npos)
      throw Malformed{begin, "expected an absolute IRI, with a scheme as http:"};
    ++at_;
    skip_space();
    return {RdfTerm::Kind::iri, plain ? raw : unescaped(raw, buffer, true), {}, plain};
  }

  RdfTerm literal() {
    const char* const begin = ++at_;
    bool plain = true;
    for (;; ++at_) {
      const void* quote = at_ == end_ ? nullptr : std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_));
      if (quote == nullptr) throw Malformed{begin - 1, "expected a \" that closes the text"};
      const char* const close = static_cast<const char*>(quote);
      plain = plain && std::find(at_, close, '\\') == close;
      at_ = close;
      const char* slash = at_;
      while (slash != begin && slash[-1] == '\\') --slash;
      if ((at_ - slash) % 2 == 0) break;  // the quote itself is not escaped
    }
    const std::string_view raw(begin, static_cast<std::size_t>(at_ - begin));
    ++at_;
    RdfTerm term = {RdfTerm::Kind::literal, plain ? raw : unescaped(raw, escaped_[2], false), {}, plain};
    if (at_end('@')) {
      const char* const tag = ++at_;
      while (at_ != end_ && !is_space(*at_) && *at_ != '.') ++at_;
      if (at_ == tag) throw Malformed{at_, "expected a language after @"};
      term.language = {tag, static_cast<std::size_t>(at_ - tag)};
    } else if (end_ - at_ > 2 && at_[0] == '^' && at_[1] == '^') {
      at_ += 2;
      iri("a type after ^^: <IRI>", escaped_[3]);
    }
    return term;
  }

  std::string_view unescaped(std::string_view raw, std::string& text, bool in_iri) {
    text.clear();
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] != '\\') {
        text += raw[i];
        continue;
      }
      const char* const where = raw.data() + i;
      const char kind = ++i < raw.size() ? raw[i] : '\0';
      constexpr std::string_view kLetters = "tbnrf\"'\\", kMeant = "\t\b\n\r\f\"'\\";
      const std::size_t letter = in_iri ? std::string_view::npos : kLetters.find(kind);
      if (letter != std::string_view::npos) {
        text += kMeant[letter];
      } else if (kind == 'u' || kind == 'U') {
        i += append_code_point(raw.substr(i + 1, kind == 'u' ? 4 : 8), kind == 'u' ? 4 : 8, where, text);
      } else {
        throw Malformed{where, in_iri ? "expected \\uXXXX or \\UXXXXXXXX as the only escapes of an IRI"
                                      : "expected one of the escapes \\t \\b \\n \\r \\f \\\" \\' \\\\ \\uXXXX"};
      }
    }
    return text;
  }

  static std::size_t append_code_point(std::string_view digits, std::size_t wanted, const char* where,
                                       std::string& text) {
    char32_t code = 0;
    for (const char c : digits) {
      const int value = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (value < 0) throw Malformed{where, "expected hexadecimal digits after \\u"};
      code = code * 16 + static_cast<char32_t>(value);
    }
    if (digits.size() < wanted) throw Malformed{where, "expected 4 digits after \\u, 8 after \\U"};
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
      throw Malformed{where, "expected the number of a Unicode character"};
    append_utf8(text, code);
    return wanted;
  }

  [[noreturn]] void fail_expecting(const char* expected) { throw Malformed{at_, expected}; }

  const char* at_;
  const char* end_;
  std::string escaped_[4];
};

LineProblem problem_at(std::string_view line, const Malformed& malformed) {
  std::string why = malformed.why;
  if (!why.starts_with("expected") && !why.starts_with("statements")) why = "expected " + why;
  const auto at = static_cast<std::size_t>(malformed.at - line.data());
  const std::string found =
      at >= line.size() ? "the end of the line" : "\"" + shown(line.substr(at), kShownOfALine) + "\"";
  return {why + ", found " + found, column_of(line, at)};
}

}  // namespace

void parse_ntriples(std::string_view piece, const RdfTexts& texts, std::string_view blank_scope, Statements& into) {
  const bool valid_utf8 = find_invalid_utf8(piece) == std::string_view::npos;
  RdfStatements statements(texts, blank_scope, into);
  RdfTerm subject, predicate, object;
  while (!piece.empty()) {
    const std::size_t end = std::min(piece.find('\n'), piece.size());
    std::string_view line = piece.substr(0, end);
    piece.remove_prefix(std::min(end + 1, piece.size()));
    ++into.lines;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!valid_utf8) {
      if (LineProblem problem = problem_of_utf8(line); !problem.what.empty()) {
        into.problems.add("", into.lines, problem);
        continue;
      }
    }
    try {
      StatementLine reader(line);
      if (reader.read(subject, predicate, object)) statements.add(subject, predicate, object);
    } catch (const Malformed& malformed) {
      into.problems.add("", into.lines, problem_at(line, malformed));
    }
  }
}

}  // namespace hasa
