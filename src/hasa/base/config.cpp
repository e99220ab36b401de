#include "hasa/base/config.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "hasa/base/config_words.h"
#include "hasa/base/error.h"
#include "hasa/base/nearest.h"
#include "hasa/base/number_in.h"
#include "hasa/base/yaml_document.h"

namespace hasa {
namespace detail {

bool parse_bool(const std::string& text) {
  static const std::map<std::string, bool> words{{"true", true},   {"yes", true}, {"on", true},
                                                 {"false", false}, {"no", false}, {"off", false}};
  const auto found = words.find(text);
  if (found == words.end()) throw std::invalid_argument("yes or no");
  return found->second;
}

std::int64_t parse_integer(const std::string& text) {
  const auto value = number_in<std::int64_t>(text);
  if (!value) throw std::invalid_argument("an integer");
  return *value;
}

double parse_number(const std::string& text) {
  const auto value = number_in<double>(text);
  if (!value || !std::isfinite(*value)) throw std::invalid_argument("a number");
  return *value;
}

/// The shortest form that reads back as the same number.
std::string print_number(double value) { return fmt::format("{}", value); }

std::vector<std::string> parse_list(const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::size_t first = std::min(text.find_first_not_of(' ', begin), end);
    const std::size_t last = text.find_last_not_of(' ', end == 0 ? 0 : end - 1);
    if (first < end) items.push_back(text.substr(first, last + 1 - first));
    begin = end + 1;
  }
  return items;
}

std::string print_list(const std::vector<std::string>& items) { return fmt::format("{}", fmt::join(items, ", ")); }

}  // namespace detail

namespace {

/// Where a value came from, for messages: " (config.yaml:14)", or nothing for --set.
using Place = std::string;

using detail::describe_range;
using detail::join;

/// The part of a family in which its type is chosen, on the level of its siblings.
Field with_choice(Field part, const std::shared_ptr<const Field>& whole) {
  part.tags = whole->tags;
  part.tag_docs = whole->tag_docs;
  part.choose = whole->choose;
  part.print = whole->print;
  part.doc = whole->doc;
  part.options_with = [whole](const std::string& tag) {
    for (const Field& each : whole->options_with(tag)) {
      if (each.name == whole->type_in) return each.children();
    }
    return Fields();
  };
  part.whole = whole;
  return part;
}

const Field* field_named(const Fields& fields, const std::string& name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

/// Calls visit(field, key, depth) for every field below `fields`, sections before their parts.
template <class Visit>
void walk(const Fields& fields, const std::string& prefix, int depth, const Visit& visit) {
  for (const Field& field : expanded(fields)) {
    const std::string key = join(prefix, field.name);
    visit(field, key, depth);
    if (field.children) walk(field.children(), key, depth + 1, visit);
  }
}

/// What an option that is not among `fields` may have been meant to be: one of that name in a section below (the
/// section was forgotten), one beside it that is spelt nearly so, or one in a section below that is.
std::string advice_on(const Fields& fields, const std::string& prefix, const std::string& name) {
  std::vector<std::string> beside, below, keys;
  walk(fields, prefix, 0, [&](const Field& field, const std::string& key, int depth) {
    if (depth == 0) return beside.push_back(key);
    below.push_back(field.name);
    keys.push_back(key);
  });
  const auto below_named = [&](const std::string& wanted) {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < below.size(); ++i) {
      if (below[i] == wanted) found.push_back(keys[i]);
    }
    return found;
  };
  if (const auto same = below_named(name); !same.empty()) return did_you_mean(same);
  if (const std::string near = did_you_mean(join(prefix, name), beside); !near.empty()) return near;
  if (const auto near = nearest_names(name, below, 1); !near.empty()) return did_you_mean(below_named(near.front()));
  return fmt::format("; expected one of {}", fmt::join(beside, ", "));
}

bool has_option(const Fields& fields, const std::string& key) {
  bool found = false;
  walk(fields, "", 0, [&](const Field&, const std::string& each, int) { found = found || each == key; });
  return found;
}

/// A family that an option may belong to, and the option's key in it.
struct Holder {
  const Field* family = nullptr;
  std::string type_key;  // "model.type"
  std::string key;
};

/// The tags with which the family has the option.
std::vector<std::string> tags_with(const Holder& holder) {
  std::vector<std::string> found;
  if (holder.family == nullptr) return found;
  for (const std::string& tag : holder.family->tags) {
    if (has_option(holder.family->options_with(tag), holder.key)) found.push_back(tag);
  }
  return found;
}

/// "frozen, text or star"
std::string joined_by_or(const std::vector<std::string>& words) {
  const auto last = static_cast<std::ptrdiff_t>(words.size()) - 1;
  if (last == 0) return words[0];
  return fmt::format("{} or {}", fmt::join(words.begin(), words.begin() + last, ", "), words.back());
}

/// What an option called `key` may be an option of: the family it was looked for in, or one on the top level.
Holder holder_of(const Fields& top, const Field* section, const std::string& prefix, const std::string& name) {
  if (section != nullptr && section->choose && !section->whole) return {section, prefix + ".type", name};
  for (const Field& field : top) {
    if (!field.type_in.empty()) return {&field, field.type_in + ".type", join(prefix, name)};
  }
  return {};
}

/// `top`: the fields of the whole config, `section`: the one that `fields` are of; null at the top.
Field find_field(const Fields& top, const Fields& fields, const Field* section, const std::string& prefix,
                 const std::string& name, const Place& place) {
  if (const Field* found = field_named(fields, name)) return *found;
  const Holder holder = holder_of(top, section, prefix, name);
  const std::vector<std::string> elsewhere = tags_with(holder);
  HASA_CHECK(elsewhere.empty(), config, "unknown option {}{}: {} is {}, and only {}={} has it\nset {} first",
             join(prefix, name), place, holder.type_key, holder.family->print(), holder.type_key,
             joined_by_or(elsewhere), holder.type_key);
  fail(ErrorKind::config, "unknown option {}{}{}", join(prefix, name), place, advice_on(fields, prefix, name));
}

void read_value(const Field& field, const std::string& key, const std::string& text, const Place& place) {
  const std::string before = field.print();
  try {
    field.read(text);
  } catch (const std::invalid_argument& expected) {
    fail(ErrorKind::config, "option {}{} is \"{}\", expected {}", key, place, text, expected.what());
  }
  if (!field.range) return;
  const double value = detail::parse_number(field.print());
  if (value >= field.range->least && value <= field.range->most) return;
  field.read(before);
  fail(ErrorKind::config, "option {}{} is {}, expected a value {}", key, place, text, describe_range(*field.range));
}

/// Options and their values, by their keys below `prefix`.
std::map<std::string, std::string> leaf_values(const Fields& fields, const std::string& prefix) {
  std::map<std::string, std::string> values;
  walk(fields, prefix, 0, [&](const Field& field, const std::string& key, int) {
    if (field.read) values[key] = field.print();
  });
  return values;
}

/// What was set for the type before, to other than its default, stays set where the new type has it too.
void choose_type(const Field& field, const std::string& key, const std::string& tag, const Place& place) {
  if (std::find(field.tags.begin(), field.tags.end(), tag) == field.tags.end()) {
    fail(ErrorKind::config, "option {}.type{} is \"{}\", expected {}{}", key, place, tag, fmt::join(field.tags, " | "),
         did_you_mean(tag, field.tags));
  }
  const std::string before = field.print();
  if (before == tag) return;
  const Field& family = field.whole ? *field.whole : field;
  const std::string prefix = field.whole ? "" : key;
  const std::map<std::string, std::string> values = leaf_values(family.children(), prefix);
  family.choose(tag);
  const std::map<std::string, std::string> defaults = leaf_values(family.options_with(before), prefix);
  walk(family.children(), prefix, 0, [&](const Field& option, const std::string& each, int) {
    const auto set = values.find(each);
    if (option.read && set != values.end() && set->second != defaults.at(each))
      read_value(option, each, set->second, place);
  });
}

/// What is being read, and how.
struct Reading {
  const Fields& top;
  const std::string& source;
  UnknownOptions unknown;
};
void apply_map(const Reading& reading, const Fields& fields, const Field* section, const YAML::Node& node,
               const std::string& prefix);

Place place_of(const YAML::Node& node, const std::string& source) {
  return fmt::format(" ({}:{})", source, node.Mark().line + 1);
}

/// The items of a sequence as --set would have them.
std::string list_in(const YAML::Node& node, const std::string& key, const Place& place) {
  std::vector<std::string> items;
  for (const YAML::Node& item : node) {
    HASA_CHECK(item.IsScalar() && item.Scalar().find(',') == std::string::npos, config,
               "option {}{}: item {} is no text without a comma", key, place, items.size() + 1);
    items.push_back(item.Scalar());
  }
  return detail::print_list(items);
}

/// `place` is that of the option's name: a value that is missing has none.
void apply_node(const Reading& reading, const Field& field, const YAML::Node& node, const std::string& key,
                const Place& place) {
  if (!field.children) {
    if (field.type == detail::kListType && node.IsSequence()) {
      return read_value(field, key, list_in(node, key, place), place);
    }
    HASA_CHECK(!node.IsNull(), config, "option {}{} has no value, expected {}", key, place, field.type);
    HASA_CHECK(!detail::is_search_mark(node), config,
               "option {}{} is marked to be tuned, expected {}\nhasa search tries what is marked; set one value to "
               "train with",
               key, place, field.type);
    HASA_CHECK(node.IsScalar(), config, "option {}{} has parts of its own, expected {}{}", key, place, field.type,
               detail::search_mark_meant(node));
    read_value(field, key, node.Scalar(), place);
    return;
  }
  HASA_CHECK(node.IsMap(), config, "option {}{} is a section, expected its options below it", key, place);
  if (const YAML::Node type = node["type"]; field.choose && !field.whole && type) {
    choose_type(field, key, type.as<std::string>(), place_of(type, reading.source));
  }
  apply_map(reading, field.children(), &field, node, key);
}

/// The type of a family decides which sections there are, wherever in the file it stands.
void choose_types(const Fields& fields, const YAML::Node& node, const std::string& source) {
  for (const Field& field : expanded(fields)) {
    const YAML::Node part = field.whole ? node[field.name] : YAML::Node(YAML::NodeType::Undefined);
    if (!part || !part.IsMap()) continue;
    if (const YAML::Node type = part["type"])
      choose_type(field, field.name, type.as<std::string>(), place_of(type, source));
  }
}

void apply_map(const Reading& reading, const Fields& fields, const Field* section, const YAML::Node& node,
               const std::string& prefix) {
  const bool is_family = section != nullptr && section->choose;
  for (const auto& entry : node) {
    const std::string name = entry.first.as<std::string>();
    const Field* known = field_named(fields, name);
    if (known == nullptr && reading.unknown == UnknownOptions::pass_over) continue;
    if (known == nullptr && name == "type" && is_family) continue;  // read already
    const Place place = place_of(entry.first, reading.source);
    apply_node(reading, find_field(reading.top, fields, section, prefix, name, place), entry.second, join(prefix, name),
               place);
  }
}

std::string quoted(const std::string& text) {
  YAML::Emitter out;
  out << text;
  return out.c_str();
}

std::string yaml_value(const Field& field) {
  if (field.type == "text") return quoted(field.print());
  if (field.type != detail::kListType) return field.print();
  std::vector<std::string> items = detail::parse_list(field.print());
  for (std::string& item : items) {
    YAML::Emitter out;  // within brackets more has to be quoted than the emitter knows of
    out << YAML::DoubleQuoted << item;
    item = out.c_str();
  }
  return "[" + detail::print_list(items) + "]";
}

}  // namespace

Fields expanded(const Fields& fields) {
  Fields all;
  for (const Field& field : fields) {
    if (field.type_in.empty()) {
      all.push_back(field);
      continue;
    }
    const auto whole = std::make_shared<const Field>(field);
    for (Field& part : whole->children()) {
      const bool chosen_here = part.name == field.type_in;
      all.push_back(chosen_here ? with_choice(std::move(part), whole) : std::move(part));
    }
  }
  return all;
}

void apply_yaml(const Fields& fields, const std::string& yaml, const std::string& source, UnknownOptions unknown) {
  detail::apply_document(fields, detail::load_yaml(yaml, source), source, unknown);
}

void detail::apply_document(const Fields& fields, const YAML::Node& root, const std::string& source,
                            UnknownOptions unknown) {
  if (root.IsNull()) return;
  HASA_CHECK(root.IsMap(), config, "{}: expected options as \"name: value\" lines", source);
  try {
    choose_types(fields, root, source);
    apply_map({fields, source, unknown}, expanded(fields), /*section=*/nullptr, root, "");
  } catch (const YAML::Exception& problem) {
    fail(ErrorKind::config, "{}:{}: {}", source, problem.mark.line + 1, problem.msg);
  }
}

void apply_assignment(const Fields& fields, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  HASA_CHECK(equals != std::string::npos && equals > 0, config, "--set {}: expected name=value, such as train.epochs=3",
             assignment);
  std::string rest = assignment.substr(0, equals);
  const std::string value = assignment.substr(equals + 1);
  std::string prefix;
  Fields level = expanded(fields);
  std::optional<Field> holder;
  while (true) {
    const std::size_t dot = rest.find('.');
    const std::string name = rest.substr(0, dot);
    if (holder && holder->choose && name == "type" && dot == std::string::npos) {
      return choose_type(*holder, prefix, value, "");
    }
    const Field field = find_field(fields, level, holder ? &*holder : nullptr, prefix, name, "");
    const std::string key = join(prefix, name);
    if (dot == std::string::npos) {
      HASA_CHECK(!field.children, config, "option {} is a section: set one of its options, such as {}.{}", key, key,
                 field.children().empty() ? "type" : field.children().front().name);
      return read_value(field, key, value, "");
    }
    HASA_CHECK(field.children, config, "option {} has no parts, it is {}", key, field.type);
    level = field.children();
    holder = field;
    prefix = key;
    rest.erase(0, dot + 1);
  }
}

std::string to_yaml(const Fields& fields) {
  std::string yaml;
  walk(fields, "", 0, [&](const Field& field, const std::string&, int depth) {
    const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
    if (!field.children) {
      yaml += fmt::format("{}{}: {}\n", indent, field.name, yaml_value(field));
      return;
    }
    const bool empty = !field.choose && field.children().empty();
    yaml += fmt::format("{}{}:{}\n", indent, field.name, empty ? " {}" : "");
    if (field.choose) yaml += fmt::format("{}  type: {}\n", indent, field.print());
  });
  return yaml;
}

}  // namespace hasa
