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

}  // namespace detail

namespace {

/// Where a value came from, for messages: " (config.yaml:14)", or nothing for --set.
using Place = std::string;

using detail::describe_range;
using detail::join;

const Field* field_named(const Fields& fields, const std::string& name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

/// Calls visit(field, key, depth) for every field below `fields`, sections before their parts.
template <class Visit>
void walk(const Fields& fields, const std::string& prefix, int depth, const Visit& visit) {
  for (const Field& field : fields) {
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

/// The tags of a family, if it is one, with which it has such an option.
std::vector<std::string> tags_with(const Field* family, const std::string& prefix, const std::string& name) {
  std::vector<std::string> found;
  if (family == nullptr || !family->choose) return found;
  for (const std::string& tag : family->tags) {
    if (field_named(family->options_with(tag), name) != nullptr)
      found.push_back(fmt::format("{}.type={}", prefix, tag));
  }
  return found;
}

/// `holder`: the section or family that `fields` are of; null at the top.
const Field& find_field(const Fields& fields, const Field* holder, const std::string& prefix, const std::string& name,
                        const Place& place) {
  if (const Field* found = field_named(fields, name)) return *found;
  const std::vector<std::string> elsewhere = tags_with(holder, prefix, name);
  HASA_CHECK(elsewhere.empty(), config, "unknown option {}{}: {}.type is {}, and only {} has it\nset {}.type first",
             join(prefix, name), place, prefix, holder->print(), fmt::join(elsewhere, " or "), prefix);
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

std::map<std::string, std::string> leaf_values(const Fields& fields) {
  std::map<std::string, std::string> values;
  for (const Field& field : fields) {
    if (field.read) values[field.name] = field.print();
  }
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
  const std::map<std::string, std::string> values = leaf_values(field.children());
  field.choose(tag);
  const std::map<std::string, std::string> defaults = leaf_values(field.options_with(before));
  for (const Field& option : field.children()) {
    const auto set = values.find(option.name);
    if (option.read && set != values.end() && set->second != defaults.at(option.name))
      read_value(option, key + "." + option.name, set->second, place);
  }
}

void apply_map(const Fields& fields, const Field* holder, const YAML::Node& node, const std::string& prefix,
               const std::string& source, UnknownOptions unknown);

Place place_of(const YAML::Node& node, const std::string& source) {
  return fmt::format(" ({}:{})", source, node.Mark().line + 1);
}

/// `place` is that of the option's name: a value that is missing has none.
void apply_node(const Field& field, const YAML::Node& node, const std::string& key, const Place& place,
                const std::string& source, UnknownOptions unknown) {
  if (!field.children) {
    HASA_CHECK(!node.IsNull(), config, "option {}{} has no value, expected {}", key, place, field.type);
    HASA_CHECK(node.IsScalar(), config, "option {}{} has parts of its own, expected {}", key, place, field.type);
    read_value(field, key, node.Scalar(), place);
    return;
  }
  HASA_CHECK(node.IsMap(), config, "option {}{} is a section, expected its options below it", key, place);
  if (const YAML::Node type = node["type"]; field.choose && type) {
    choose_type(field, key, type.as<std::string>(), place_of(type, source));
  }
  apply_map(field.children(), &field, node, key, source, unknown);
}

void apply_map(const Fields& fields, const Field* holder, const YAML::Node& node, const std::string& prefix,
               const std::string& source, UnknownOptions unknown) {
  const bool is_family = holder != nullptr && holder->choose;
  for (const auto& entry : node) {
    const std::string name = entry.first.as<std::string>();
    const Field* known = field_named(fields, name);
    if (known == nullptr && unknown == UnknownOptions::pass_over) continue;
    if (known == nullptr && name == "type" && is_family) continue;  // read by apply_node already
    const Place place = place_of(entry.first, source);
    apply_node(find_field(fields, holder, prefix, name, place), entry.second, join(prefix, name), place, source,
               unknown);
  }
}

std::string quoted(const std::string& text) {
  YAML::Emitter out;
  out << text;
  return out.c_str();
}

}  // namespace

void apply_yaml(const Fields& fields, const std::string& yaml, const std::string& source, UnknownOptions unknown) {
  YAML::Node root;
  try {
    root = YAML::Load(yaml);
  } catch (const YAML::Exception& problem) {
    fail(ErrorKind::config, "{}:{}: not YAML: {}", source, problem.mark.line + 1, problem.msg);
  }
  if (root.IsNull()) return;
  HASA_CHECK(root.IsMap(), config, "{}: expected options as \"name: value\" lines", source);
  try {
    apply_map(fields, /*holder=*/nullptr, root, "", source, unknown);
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
  Fields level = fields;
  std::optional<Field> holder;
  while (true) {
    const std::size_t dot = rest.find('.');
    const std::string name = rest.substr(0, dot);
    if (holder && holder->choose && name == "type" && dot == std::string::npos) {
      return choose_type(*holder, prefix, value, "");
    }
    const Field field = find_field(level, holder ? &*holder : nullptr, prefix, name, "");
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
      const bool is_text = field.type == "text";
      yaml += fmt::format("{}{}: {}\n", indent, field.name, is_text ? quoted(field.print()) : field.print());
      return;
    }
    const bool empty = !field.choose && field.children().empty();
    yaml += fmt::format("{}{}:{}\n", indent, field.name, empty ? " {}" : "");
    if (field.choose) yaml += fmt::format("{}  type: {}\n", indent, field.print());
  });
  return yaml;
}

}  // namespace hasa
