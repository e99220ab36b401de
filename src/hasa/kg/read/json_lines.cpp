#include "hasa/kg/read/json_lines.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "hasa/base/shown_text.h"
#include "hasa/base/utf8.h"

namespace hasa {
namespace {

using nlohmann::json;

constexpr const char* kExpectedObject =
    "expected a JSON object with head, relation and tail, with entity and name or description, or with relation and "
    "text";

struct BadMember {
  std::string what;
};

class JsonLine {
 public:
  JsonLine(const json& object, Statements& into) : object_(object), into_(into) {}

  void read() {
    const auto head = id({"head", "subject", "source", "from", "h", "s"});
    const auto tail = id({"tail", "object", "target", "to", "t", "o"});
    const auto relation = id({"relation", "predicate", "property", "r", "p"});
    if (head && tail && relation) return add_triple(*head, *relation, *tail);
    if (head || tail)
      throw BadMember{fmt::format("expected head, relation and tail, found no {}", !head       ? "head"
                                                                                   : !relation ? "relation"
                                                                                               : "tail")};
    if (const auto entity = id({"entity", "id"})) {
      const std::int32_t number = into_.entities.add(*entity, into_.arena);
      add_text(number, false, TextKind::name, {"name", "label"});
      add_text(number, false, TextKind::description, {"description", "text"});
    } else if (relation) {
      const std::int32_t number = into_.relations.add(*relation, into_.arena);
      add_text(number, true, TextKind::description, {"text", "name", "label", "description"});
    } else {
      throw BadMember{kExpectedObject};
    }
  }

 private:
  void add_triple(const std::string& head, const std::string& relation, const std::string& tail) {
    const auto time = object_.find("time");
    if (time != object_.end() && !time->is_number_integer()) throw BadMember{"expected time to be a whole number"};
    if (time != object_.end() || !into_.times.empty()) {
      into_.times.resize(into_.triples.size(), INT64_MIN);
      into_.times.push_back(time == object_.end() ? INT64_MIN : time->get<std::int64_t>());
    }
    const EntityId h = into_.entities.add(head, into_.arena);
    const RelationId r = into_.relations.add(relation, into_.arena);
    into_.triples.push_back({h, r, into_.entities.add(tail, into_.arena)});
  }

  std::optional<std::string> id(std::initializer_list<const char*> keys) const {
    for (const char* key : keys) {
      const auto member = object_.find(key);
      if (member == object_.end()) continue;
      if (member->is_number_integer()) return member->dump();
      if (!member->is_string()) throw BadMember{fmt::format("expected {} to be a string or a whole number", key)};
      auto text = member->get<std::string>();
      if (text.empty()) throw BadMember{fmt::format("expected {} not to be empty", key)};
      return text;
    }
    return std::nullopt;
  }

  void add_text(std::int32_t number, bool of_relation, TextKind kind, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      const auto member = object_.find(key);
      if (member == object_.end() || member->is_null()) continue;
      if (!member->is_string()) throw BadMember{fmt::format("expected {} to be a string", key)};
      into_.texts.push_back({number, of_relation, kind, 0, into_.arena.keep(member->get<std::string>())});
      return;
    }
  }

  const json& object_;
  Statements& into_;
};

}  // namespace

void parse_json_lines(std::string_view piece, Statements& into) {
  while (!piece.empty()) {
    const std::size_t end = std::min(piece.find('\n'), piece.size());
    const std::string_view line = piece.substr(0, end);
    piece.remove_prefix(std::min(end + 1, piece.size()));
    ++into.lines;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    // The parser refuses what is no UTF-8, but not by the name of the byte.
    if (LineProblem problem = problem_of_utf8(line); !problem.what.empty()) {
      into.problems.add("", into.lines, problem);
      continue;
    }
    const auto complain = [&](const std::string& what, std::uint64_t column) {
      into.problems.add("", into.lines, {fmt::format("{}: \"{}\"", what, shown(line, kShownOfALine)), column});
    };
    try {
      const json object = json::parse(line);
      if (!object.is_object()) throw BadMember{kExpectedObject};
      JsonLine(object, into).read();
    } catch (const json::parse_error& error) {
      complain("expected a JSON object, found one that does not parse", column_of(line, error.byte - 1));
    } catch (const BadMember& member) {
      complain(member.what, 0);
    }
  }
  if (!into.times.empty()) into.times.resize(into.triples.size(), INT64_MIN);
}

}  // namespace hasa
