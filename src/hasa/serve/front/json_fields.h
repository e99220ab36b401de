#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hasa {

/// The document a body is. Throws Problem (malformed) with the byte where it ends being JSON.
nlohmann::json parse_json(std::string_view body);

/// Reads the fields of a JSON object one by one. What is of another type, or was never asked for, is a Problem
/// (malformed) that names the field; `null` counts as absent.
class JsonFields {
 public:
  /// `where`: what the object is in messages, such as "queries[2]"; "" for the document. It must outlive this.
  JsonFields(const nlohmann::json& object, std::string where);

  /// Never empty.
  std::optional<std::string> text(const char* name);
  std::string required_text(const char* name);
  /// May be empty.
  std::optional<std::string> any_text(const char* name);
  bool flag(const char* name, bool otherwise);
  /// Outside [least, most] is a Problem (unanswerable).
  std::int64_t count(const char* name, std::int64_t otherwise, std::int64_t least, std::int64_t most);
  std::optional<std::vector<std::string>> texts(const char* name);
  /// Null where it is absent; more than `most` elements are a Problem (too_large).
  const nlohmann::json* list(const char* name, std::size_t most);
  bool has(const char* name) const;

  /// Throws for a field that nobody asked for, with the nearest that would do.
  void finish() const;
  /// "queries[2].head", for messages.
  std::string path_of(std::string_view name) const;

 private:
  const nlohmann::json* find(const char* name);

  const nlohmann::json& object_;
  std::string where_;
  std::vector<std::string> asked_;
};

}  // namespace hasa
