#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "hasa/base/config.h"
#include "hasa/base/config_words.h"

namespace hasa {
namespace {

using detail::describe_range;
using detail::join;

/// What is told of a config, in order.
struct Docs {
  virtual ~Docs() = default;
  virtual void section(const Field& field, const std::string& key) = 0;
  /// What follows are options of the family `key` with the tag.
  virtual void alternative(const std::string& key, const std::string& tag) = 0;
  virtual void option(const Field& field, const std::string& key) = 0;
};

/// Every option there can be. Options stand before sections, so that none seems to belong to the section before it.
void tell(Fields fields, const std::string& prefix, Docs& docs) {
  std::stable_partition(fields.begin(), fields.end(), [](const Field& field) { return !field.children; });
  for (const Field& field : fields) {
    const std::string key = join(prefix, field.name);
    if (!field.children) {
      docs.option(field, key);
      continue;
    }
    docs.section(field, key);
    if (!field.choose) tell(field.children(), key, docs);
    for (const std::string& tag : field.tags) {
      docs.alternative(key, tag);
      tell(field.options_with(tag), key, docs);
    }
  }
}

std::string choices(const Field& family) { return fmt::format("{}", fmt::join(family.tags, " | ")); }

struct Help : Docs {
  std::string text, indent = "  ";

  void section(const Field& field, const std::string& key) override {
    indent = "  ";
    text += fmt::format("\n{}: {}\n", key, field.doc);
    if (field.choose) text += fmt::format("  {}.type={}  ({})\n", key, field.print(), choices(field));
  }
  void alternative(const std::string& key, const std::string& tag) override {
    indent = "    ";
    text += fmt::format("  with {}.type={}:\n", key, tag);
  }
  void option(const Field& field, const std::string& key) override {
    const std::string range = field.range ? ", " + describe_range(*field.range) : "";
    text += fmt::format("{0}{1}={2}  ({3}{4})\n{0}    {5}\n", indent, key, field.print(), field.type, range, field.doc);
  }
};

/// For a cell of a table: bars would end it, and <words> be taken for HTML.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '|' ? "\\|" : c == '<' ? "&lt;" : std::string(1, c);
  return result;
}

struct Markdown : Docs {
  static constexpr const char* kTable = "\n| option | default | values | meaning |\n|---|---|---|---|\n";
  std::string text = kTable + 1;

  void section(const Field& field, const std::string& key) override {
    text += fmt::format("\n## {}\n{}\n", key, escaped(field.doc));
    if (!field.choose) text += kTable;
    if (field.choose) {
      text += fmt::format("\n`{}.type` is {}; without it, {}.\n", key, choices(field), field.print());
    }
  }
  void alternative(const std::string& key, const std::string& tag) override {
    text += fmt::format("\n### {}.type: {}\n{}", key, tag, kTable);
  }
  void option(const Field& field, const std::string& key) override {
    const std::string value = field.print().empty() ? "" : "`" + field.print() + "`";
    const std::string range = field.range ? " " + describe_range(*field.range) : "";
    text += fmt::format("| `{}` | {} | {}{} | {} |\n", key, value, escaped(field.type), range, escaped(field.doc));
  }
};

}  // namespace

std::string to_help(const Fields& fields) {
  Help help;
  tell(fields, "", help);
  return help.text;
}

std::string to_markdown(const Fields& fields) {
  Markdown page;
  tell(fields, "", page);
  return page.text;
}

}  // namespace hasa
