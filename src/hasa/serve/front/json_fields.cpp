#include "hasa/serve/front/json_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hasa/base/nearest.h"
#include "hasa/base/shown_text.h"
#include "hasa/serve/front/problem.h"

namespace hasa {
namespace {

using nlohmann::json;

[[noreturn]] void refuse_type(const std::string& path, const char* expected, const json& found) {
  refuse(ProblemKind::malformed, "expected {} to be {}, found {}", path, expected, found.type_name());
}

}  // namespace

json parse_json(std::string_view body) {
  if (body.empty()) refuse(ProblemKind::malformed, "expected a JSON document in the body, found nothing");
  try {
    return json::parse(body);
  } catch (const json::parse_error& error) {
    refuse(ProblemKind::malformed, "the body is no JSON document: it ends being one at byte {}", error.byte);
  } catch (const json::exception& error) {  // a number that no double holds
    refuse(ProblemKind::malformed, "the body is no JSON document: {}", error.what());
  }
}

JsonFields::JsonFields(const json& object, std::string where) : object_(object), where_(std::move(where)) {
  if (!object.is_object()) refuse_type(where_.empty() ? "the body" : where_, "an object", object);
}

std::string JsonFields::path_of(std::string_view name) const {
  return where_.empty() ? std::string(name) : where_ + "." + std::string(name);
}

const json* JsonFields::find(const char* name) {
  asked_.emplace_back(name);
  const auto field = object_.find(name);
  return field == object_.end() || field->is_null() ? nullptr : &*field;
}

bool JsonFields::has(const char* name) const {
  const auto field = object_.find(name);
  return field != object_.end() && !field->is_null();
}

std::optional<std::string> JsonFields::any_text(const char* name) {
  const json* field = find(name);
  if (field == nullptr) return std::nullopt;
  if (!field->is_string()) refuse_type(path_of(name), "a string", *field);
  return field->get<std::string>();
}

std::optional<std::string> JsonFields::text(const char* name) {
  std::optional<std::string> text = any_text(name);
  if (text && text->empty()) refuse(ProblemKind::malformed, "{} is empty", path_of(name));
  return text;
}

std::string JsonFields::required_text(const char* name) {
  std::optional<std::string> found = text(name);
  if (!found) refuse(ProblemKind::malformed, "{} is missing", path_of(name));
  return std::move(*found);
}

bool JsonFields::flag(const char* name, bool otherwise) {
  const json* field = find(name);
  if (field == nullptr) return otherwise;
  if (!field->is_boolean()) refuse_type(path_of(name), "true or false", *field);
  return field->get<bool>();
}

std::int64_t JsonFields::count(const char* name, std::int64_t otherwise, std::int64_t least, std::int64_t most) {
  const json* field = find(name);
  if (field == nullptr) return otherwise;
  if (!field->is_number_integer()) refuse_type(path_of(name), "a whole number", *field);
  const bool above = field->is_number_unsigned() && field->get<std::uint64_t>() > static_cast<std::uint64_t>(most);
  if (above || field->get<std::int64_t>() < least) {
    refuse(ProblemKind::unanswerable, "expected {} to be from {} to {}, found {}", path_of(name), least, most,
           field->dump());
  }
  return field->get<std::int64_t>();
}

const json* JsonFields::list(const char* name, std::size_t most) {
  const json* field = find(name);
  if (field == nullptr) return nullptr;
  if (!field->is_array()) refuse_type(path_of(name), "a list", *field);
  if (field->empty()) refuse(ProblemKind::malformed, "{} is empty", path_of(name));
  if (field->size() > most) {
    refuse(ProblemKind::too_large, "{} has {} elements, and {} is the limit; send them in parts", path_of(name),
           field->size(), most);
  }
  return field;
}

std::optional<std::vector<std::string>> JsonFields::texts(const char* name) {
  const json* field = find(name);
  if (field == nullptr) return std::nullopt;
  if (!field->is_array()) refuse_type(path_of(name), "a list of strings", *field);
  std::vector<std::string> texts;
  for (const json& each : *field) {
    if (!each.is_string()) refuse_type(fmt::format("{}[{}]", path_of(name), texts.size()), "a string", each);
    texts.push_back(each.get<std::string>());
  }
  return texts;
}

void JsonFields::finish() const {
  constexpr std::size_t kShownOfAName = 40;
  for (const auto& [name, value] : object_.items()) {
    if (std::find(asked_.begin(), asked_.end(), name) != asked_.end()) continue;
    refuse(ProblemKind::malformed, "unknown field {}{}", shown(path_of(name), kShownOfAName + where_.size()),
           did_you_mean(name, asked_));
  }
}

}  // namespace hasa
