#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

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
  virtual void alternative(const std::string& key, const std::string& tag, const std::string& doc) = 0;
  /// `only_with`: "model.type=frozen or text" where not all types of a family have it.
  virtual void option(const Field& field, const std::string& key, const std::string& only_with) = 0;
};

void tell_family(const Field& family, Docs& docs);

/// Every option there can be. Options stand before sections, so that none seems to belong to the section before it.
void tell(Fields fields, const std::string& prefix, Docs& docs) {
  std::stable_partition(fields.begin(), fields.end(), [](const Field& field) { return !field.children; });
  for (const Field& field : fields) {
    if (!field.type_in.empty()) {
      tell_family(field, docs);
      continue;
    }
    const std::string key = join(prefix, field.name);
    if (!field.children) {
      docs.option(field, key, "");
      continue;
    }
    docs.section(field, key);
    if (!field.choose) tell(field.children(), key, docs);
    for (std::size_t i = 0; i < field.tags.size(); ++i) {
      docs.alternative(key, field.tags[i], field.tag_docs[i]);
      tell(field.options_with(field.tags[i]), key, docs);
    }
  }
}

/// An option of several types of a family, where it says the same in all of them.
struct SharedOption {
  Field field;
  std::vector<std::string> tags;

  bool is_same(const Field& other) const {
    return field.name == other.name && field.print() == other.print() && field.type == other.type &&
           field.doc == other.doc;
  }
};

/// A part of a family, with the options it has under any type; options beside the parts are in one without a name.
struct SharedSection {
  Field field;
  std::vector<SharedOption> options;

  void add(const Field& option, const std::string& tag) {
    const auto found =
        std::find_if(options.begin(), options.end(), [&](const SharedOption& each) { return each.is_same(option); });
    if (found == options.end()) {
      options.push_back({option, {tag}});
    } else {
      found->tags.push_back(tag);
    }
  }
};

/// The parts of a family but the one in which its type is chosen, in the order in which the types bring them.
std::vector<SharedSection> shared_sections(const Field& family) {
  std::vector<SharedSection> sections(1);
  for (const std::string& tag : family.tags) {
    for (const Field& part : family.options_with(tag)) {
      if (part.name == family.type_in) continue;
      if (!part.children) {
        sections.front().add(part, tag);
        continue;
      }
      auto found = std::find_if(sections.begin(), sections.end(),
                                [&](const SharedSection& each) { return each.field.name == part.name; });
      if (found == sections.end()) found = sections.insert(sections.end(), {part, {}});
      for (const Field& option : part.children()) found->add(option, tag);
    }
  }
  return sections;
}

void tell_family(const Field& family, Docs& docs) {
  const std::vector<SharedSection> sections = shared_sections(family);
  const auto tell_options = [&](const SharedSection& section) {
    for (const SharedOption& option : section.options) {
      const bool everywhere = option.tags.size() == family.tags.size();
      docs.option(option.field, join(section.field.name, option.field.name),
                  everywhere ? "" : fmt::format("{}.type={}", family.type_in, fmt::join(option.tags, " or ")));
    }
  };
  tell_options(sections.front());
  for (const Field& part : expanded({family})) {
    if (part.name == family.type_in) tell({part}, "", docs);
  }
  for (const SharedSection& section : sections) {
    if (section.field.name.empty()) continue;
    docs.section(section.field, section.field.name);
    tell_options(section);
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
  void alternative(const std::string& key, const std::string& tag, const std::string& doc) override {
    indent = "    ";
    text += fmt::format("  with {}.type={}{}:\n", key, tag, doc.empty() ? "" : ", " + doc);
  }
  void option(const Field& field, const std::string& key, const std::string& only_with) override {
    const std::string range = field.range ? ", " + describe_range(*field.range) : "";
    const std::string with = only_with.empty() ? "" : "with " + only_with + ": ";
    text += fmt::format("{0}{1}={2}  ({3}{4})\n{0}    {5}{6}\n", indent, key, field.print(), field.type, range, with,
                        field.doc);
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
  void alternative(const std::string& key, const std::string& tag, const std::string& doc) override {
    text += fmt::format("\n### {}.type: {}\n{}{}", key, tag, doc.empty() ? "" : escaped(doc) + "\n", kTable);
  }
  void option(const Field& field, const std::string& key, const std::string& only_with) override {
    const std::string with = only_with.empty() ? "" : "with " + only_with + ": ";
    const std::string value = field.print().empty() ? "" : "`" + field.print() + "`";
    const std::string range = field.range ? " " + describe_range(*field.range) : "";
    text +=
        fmt::format("| `{}` | {} | {}{} | {} |\n", key, value, escaped(field.type), range, escaped(with + field.doc));
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
