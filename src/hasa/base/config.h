#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace hasa {

/// Options live beside their component: a struct with defaults and one field list.
///
///   struct InfoNceConfig {
///     double margin = 0.02;
///     template <class Visitor>
///     static void fields(Visitor& field) {
///       field("margin", &InfoNceConfig::margin, "subtracted from the positive's score in training", Range{0, 10});
///     }
///   };
///
/// A member is a bool, an integer, a double, a string, a vector of strings, an enum (with `names_of(E)` beside it),
/// another such struct (a section), or a std::variant of such structs (a family: each has a kTag, chosen by `type`, and
/// may describe itself in kDoc). `field.family("model", &Config::family, ...)` puts the sections of the chosen
/// alternative at the config's own level, and the choice into one of them: model.type decides which sections exist.
/// YAML, --set, --help, range checks and docs/config.md all come from this one list.

/// Inclusive.
struct Range {
  double least;
  double most;
};

template <class E>
using EnumNames = std::vector<std::pair<E, const char*>>;

/// A type-erased option of a live config object.
struct Field {
  std::string name;
  std::string doc;
  std::string type;  // "number", "integer", "yes or no", "text", "list", or the choices "mean | cls"
  std::optional<Range> range;
  // A leaf has these two; read throws std::invalid_argument with what was expected.
  std::function<void(const std::string&)> read;
  std::function<std::string()> print;
  // A section or a family has this one. It is called again after a change of type.
  std::function<std::vector<Field>()> children;
  // A family also has these three. The last returns the options of a tag: the
  // current ones if it is chosen, otherwise defaults. They are valid while the field lives.
  std::vector<std::string> tags;
  std::vector<std::string> tag_docs;  // of each, its kDoc, or ""
  std::function<void(const std::string& tag)> choose;
  std::function<std::vector<Field>(const std::string& tag)> options_with;
  // A family whose sections are one level up names the section in which its type is chosen.
  std::string type_in;
  // Set only in that section: the whole family, as the config's readers see it.
  std::shared_ptr<const Field> whole;
};

using Fields = std::vector<Field>;

/// The options of `config`, which must outlive the result.
template <class Config>
Fields fields_of(Config& config);

/// The same with a family replaced by its sections, for its current type.
Fields expanded(const Fields& fields);

/// What to do with an unknown option in the YAML: usually an error.
/// A reader that needs only some of a program's options ignores the others.
enum class UnknownOptions { refuse, pass_over };

/// Sets options from YAML text: one document without duplicate names. `source` ("config.yaml") is named in
/// errors with the line.
void apply_yaml(const Fields& fields, const std::string& yaml, const std::string& source,
                UnknownOptions unknown = UnknownOptions::refuse);
/// Sets one option from "a.b=c".
void apply_assignment(const Fields& fields, const std::string& assignment);

/// Every option with its value, as YAML that apply_yaml reads back.
std::string to_yaml(const Fields& fields);
/// Every option with its default, type, range and description, a family's
/// under each of its tags: for --help, and as a Markdown table.
std::string to_help(const Fields& fields);
std::string to_markdown(const Fields& fields);

// The rest turns a field list into Fields.

namespace detail {

/// A list of texts without commas: a sequence in YAML, "a, b" for --set.
constexpr const char* kListType = "list";

bool parse_bool(const std::string& text);
std::int64_t parse_integer(const std::string& text);
double parse_number(const std::string& text);
std::string print_number(double value);
std::vector<std::string> parse_list(const std::string& text);
std::string print_list(const std::vector<std::string>& items);

template <class T>
struct IsVariant : std::false_type {};
template <class... Ts>
struct IsVariant<std::variant<Ts...>> : std::true_type {};

struct NoVisitor {
  template <class... Args>
  void operator()(Args&&...) {}
  template <class... Args>
  void family(Args&&...) {}
};
template <class T>
concept Section = requires(NoVisitor& visitor) { T::fields(visitor); };

template <class E>
Field enum_field(E& value) {
  Field field;
  for (const auto& [each, name] : names_of(E{})) field.type += (field.type.empty() ? "" : " | ") + std::string(name);
  field.read = [&value, type = field.type](const std::string& text) {
    for (const auto& [each, name] : names_of(E{})) {
      if (text == name) {
        value = each;
        return;
      }
    }
    throw std::invalid_argument(type);
  };
  field.print = [&value] {
    for (const auto& [each, name] : names_of(E{})) {
      if (each == value) return std::string(name);
    }
    return std::string();
  };
  return field;
}

template <class T>
std::string tag_doc() {
  if constexpr (requires { T::kDoc; }) {
    return T::kDoc;
  } else {
    return "";
  }
}

template <class... Ts>
Field family_field(std::variant<Ts...>& value) {
  Field field;
  field.tags = {Ts::kTag...};
  field.tag_docs = {tag_doc<Ts>()...};
  field.children = [&value] { return std::visit([](auto& chosen) { return fields_of(chosen); }, value); };
  field.print = [&value] { return std::visit([](auto& chosen) { return std::string(chosen.kTag); }, value); };
  field.choose = [&value](const std::string& tag) {
    // Choosing the current type keeps the options set so far.
    if (std::visit([&](auto& chosen) { return tag == chosen.kTag; }, value)) return;
    (void)((tag == Ts::kTag ? (value.template emplace<Ts>(), true) : false) || ...);
  };
  field.options_with = [&value, defaults = std::make_shared<std::tuple<Ts...>>()](const std::string& tag) {
    Fields options;
    const auto collect = [&](auto& alternative) {
      using T = std::decay_t<decltype(alternative)>;
      if (tag == T::kTag) options = fields_of(std::holds_alternative<T>(value) ? std::get<T>(value) : alternative);
    };
    std::apply([&](auto&... each) { (collect(each), ...); }, *defaults);
    return options;
  };
  return field;
}

template <class T>
Field make_field(T& value) {
  Field field;
  if constexpr (IsVariant<T>::value) {
    field = family_field(value);
  } else if constexpr (Section<T>) {
    field.children = [&value] { return fields_of(value); };
  } else if constexpr (std::is_enum_v<T>) {
    field = enum_field(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    field.type = "yes or no";
    field.read = [&value](const std::string& text) { value = parse_bool(text); };
    field.print = [&value] { return std::string(value ? "true" : "false"); };
  } else if constexpr (std::is_integral_v<T>) {
    field.type = "integer";
    field.read = [&value](const std::string& text) {
      const std::int64_t parsed = parse_integer(text);
      if (!std::in_range<T>(parsed)) throw std::invalid_argument("an integer that fits");
      value = static_cast<T>(parsed);
    };
    field.print = [&value] { return std::to_string(value); };
  } else if constexpr (std::is_floating_point_v<T>) {
    field.type = "number";
    field.read = [&value](const std::string& text) { value = parse_number(text); };
    field.print = [&value] { return print_number(value); };
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    field.type = kListType;
    field.read = [&value](const std::string& text) { value = parse_list(text); };
    field.print = [&value] { return print_list(value); };
  } else {
    static_assert(std::is_same_v<T, std::string>, "a config member of a type the config system does not know");
    field.type = "text";
    field.read = [&value](const std::string& text) { value = text; };
    field.print = [&value] { return value; };
  }
  return field;
}

template <class Config>
struct Collector {
  Config& config;
  Fields fields;

  /// Owner is Config or a base of it: a config may extend another by calling its field list first.
  template <class Owner, class Member>
  void operator()(const char* name, Member Owner::* member, const char* doc, std::optional<Range> range = {}) {
    Field field = make_field(config.*member);
    field.name = name;
    field.doc = doc;
    field.range = range;
    fields.push_back(std::move(field));
  }

  /// Each alternative of the variant has a section called `type_in`.
  template <class Owner, class Member>
  void family(const char* type_in, Member Owner::* member, const char* doc) {
    Field field = family_field(config.*member);
    field.type_in = type_in;
    field.doc = doc;
    fields.push_back(std::move(field));
  }
};

}  // namespace detail

template <class Config>
Fields fields_of(Config& config) {
  detail::Collector<Config> collector{config, {}};
  Config::fields(collector);
  return std::move(collector.fields);
}

}  // namespace hasa
