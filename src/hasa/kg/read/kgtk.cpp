#include "hasa/kg/read/kgtk.h"

#include <fmt/format.h>

#include "hasa/base/shown_text.h"

namespace hasa {
namespace {

constexpr std::size_t kShownOfAValue = 60;

/// From behind the opening quote; returns where the closing one stands, or npos.
std::size_t take_quoted(std::string_view field, char quote, std::string& text) {
  for (std::size_t i = 1; i < field.size(); ++i) {
    if (field[i] == quote) return i;
    if (field[i] != '\\' || i + 1 == field.size()) {
      text += field[i];
      continue;
    }
    const char meant = field[++i];
    text += meant == 't' ? '\t' : meant == 'n' ? '\n' : meant == 'r' ? '\r' : meant;
  }
  return std::string_view::npos;
}

}  // namespace

KgtkValue kgtk_value(std::string_view field) {
  KgtkValue value;
  if (field.empty()) return value;
  constexpr std::string_view kOthers = "^@!+-0123456789";
  if (kOthers.find(field[0]) != std::string_view::npos) return {KgtkValue::Kind::other, {}, {}};
  if (field[0] != '"' && field[0] != '\'') return value;
  const std::size_t close = take_quoted(field, field[0], value.text);
  const std::string_view behind = close == std::string_view::npos ? "" : field.substr(close + 1);
  const bool sound = field[0] == '"' ? close + 1 == field.size() : behind.size() > 1 && behind[0] == '@';
  if (!sound) return {KgtkValue::Kind::other, {}, {}};
  value.kind = KgtkValue::Kind::text;
  if (field[0] == '\'') value.language = behind.substr(1);
  return value;
}

std::string kgtk_text(std::string_view text, std::string_view language) {
  const char quote = language.empty() ? '"' : '\'';
  std::string written(1, quote);
  for (const char c : text) {
    switch (c) {
      case '\t': written += "\\t"; break;
      case '\n': written += "\\n"; break;
      case '\r': written += "\\r"; break;
      case '|': written += "\\|"; break;
      case '\\': written += "\\\\"; break;
      default:
        if (c == quote) written += '\\';
        written += c;
    }
  }
  written += quote;
  return language.empty() ? written : fmt::format("{}@{}", written, language);
}

bool is_kgtk_symbol(std::string_view id) {
  constexpr std::string_view kFirst = "^@!+-0123456789\"'";
  return !id.empty() && kFirst.find(id[0]) == std::string_view::npos &&
         id.find_first_of("\t\n\r|") == std::string_view::npos;
}

void add_kgtk_edge(std::string_view node1, std::string_view label, std::string_view node2, const RdfTexts& texts,
                   Statements& into) {
  const KgtkValue value = kgtk_value(node2);
  // Ids that KGTK cannot hold were wrapped by an export of ours.
  const auto id = [&](std::string_view field) {
    return field.starts_with(kOwnNamespace) ? into.arena.keep(id_of_iri(field)) : field;
  };
  if (value.kind == KgtkValue::Kind::symbol) return into.add(id(node1), id(label), id(node2));
  const bool name = label == "label", description = label == "description";
  if (value.kind == KgtkValue::Kind::text && (name || description)) {
    const TextKind kind = name ? TextKind::name : TextKind::description;
    into.texts.push_back(
        {into.entities.add(id(node1)), false, kind, texts.rank_of(value.language), into.arena.keep(value.text)});
    return;
  }
  ++into.left_out.count;
  if (into.left_out.examples.size() < Finding::kExamples)
    into.left_out.examples.push_back(fmt::format("{} {} {}", node1, label, shown(node2, kShownOfAValue)));
}

}  // namespace hasa
