// The audit as JSON, which is how a graph stores it, and as lines for a person.

#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/base/progress.h"
#include "hasa/base/shown_text.h"
#include "hasa/kg/audit.h"
#include "hasa/kg/triple.h"

namespace hasa {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kExampleLength = 240;

std::uint64_t all_duplicates(const Audit& audit) {
  return audit.duplicates.count + audit.leaked.count + audit.dropped_duplicates.count;
}

}  // namespace

std::string to_json(const Audit& audit) {
  Json json;
  json["source"] = audit.source;
  json["entities"] = audit.entities;
  json["relations"] = audit.relations;
  for (const Split split : kSplits) json["triples"][to_string(split)] = audit.triples[static_cast<int>(split)];
  json["texts_missing"] = audit.without_description.count;
  json["relation_texts_missing"] = audit.relations_without_text.count;
  json["duplicates"] = all_duplicates(audit);
  json["unseen_entities"] = audit.unseen_entities.count;
  json["unseen_relations"] = audit.unseen_relations.count;
  Json& findings = json["findings"];
  Audit::visit(audit, [&](const char* key, const char*, const Finding& finding) {
    findings[key] = {{"count", finding.count}, {"examples", finding.examples}};
  });
  // A file name need not be UTF-8; JSON must be.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Audit audit_from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    Audit audit;
    json.at("source").get_to(audit.source);
    json.at("entities").get_to(audit.entities);
    json.at("relations").get_to(audit.relations);
    for (const Split split : kSplits)
      json.at("triples").at(to_string(split)).get_to(audit.triples[static_cast<int>(split)]);
    const Json& findings = json.at("findings");
    Audit::visit(audit, [&](const char* key, const char*, Finding& finding) {
      if (!findings.contains(key)) return;  // written before there was such a finding
      findings.at(key).at("count").get_to(finding.count);
      findings.at(key).at("examples").get_to(finding.examples);
    });
    return audit;
  } catch (const nlohmann::json::exception& error) {
    fail(ErrorKind::data, "the graph's import summary cannot be read: {}", error.what());
  }
}

std::string to_table(const Audit& audit) {
  std::string table;
  const auto line = [&](std::uint64_t count, std::string_view words) {
    table += fmt::format("{:>14}  {}\n", format_count(count), words);
  };
  if (!audit.source.empty()) table += fmt::format("{}\n", shown(audit.source));
  line(audit.entities, "entities");
  line(audit.relations, "relations");
  for (const Split split : kSplits)
    line(audit.triples[static_cast<int>(split)], fmt::format("triples in {}", to_string(split)));
  Audit::visit(audit, [&](const char*, const char* words, const Finding& finding) {
    if (finding.count == 0) return;
    line(finding.count, words);
    for (const std::string& example : finding.examples)
      table += fmt::format("{:>14}    {}\n", "", shown(example, kExampleLength));
    if (finding.count > finding.examples.size()) table += fmt::format("{:>14}    ...\n", "");
  });
  return table;
}

}  // namespace hasa
