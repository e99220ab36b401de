#include "hasa/serve/link_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/eval/ranks_file.h"
#include "hasa/kg/read/iri_names.h"

namespace hasa {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
constexpr const char* kDouble = "http://www.w3.org/2001/XMLSchema#double";

/// "0.8731"; "" where there is none.
std::string probability_words(const std::optional<double>& probability) {
  return probability ? fmt::format("{:.6g}", *probability) : "";
}

/// The three ids of a triple, as fields.
std::string prediction_ids(const Triple& triple, const LiveState& state) {
  return fmt::format("{}\t{}\t{}", escaped(state.entity_id(triple.head)),
                     escaped(state.graph().relation_id(triple.relation)), escaped(state.entity_id(triple.tail)));
}

Json prediction_json(const Triple& triple, const LiveState& state) {
  const auto entity = [&](EntityId e) { return Json{{"id", state.entity_id(e)}, {"name", state.entity_name(e)}}; };
  return {{"head", entity(triple.head)},
          {"relation", state.graph().relation_id(triple.relation)},
          {"tail", entity(triple.tail)}};
}

std::string prediction_line(const Json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Json probability_json(const std::optional<double>& probability) { return probability ? Json(*probability) : Json(); }

std::string rdf_term(std::string_view id, bool may_be_blank) {
  return may_be_blank && is_blank_node(id) ? std::string(id) : fmt::format("<{}>", iri_of_id(id));
}

/// Five statements about one that may be true.
std::string rdf_statement(const LikelyLink& link, std::size_t number, const LiveState& state) {
  const std::string node = fmt::format("_:prediction{}", number);
  const auto about = [&](const char* property, const std::string& value) {
    return fmt::format("{} <{}{}> {} .\n", node, kRdf, property, value);
  };
  const double confidence = link.probability.value_or(link.score);
  return about("type", fmt::format("<{}Statement>", kRdf)) +
         about("subject", rdf_term(state.entity_id(link.triple.head), true)) +
         about("predicate", rdf_term(state.graph().relation_id(link.triple.relation), false)) +
         about("object", rdf_term(state.entity_id(link.triple.tail), true)) +
         fmt::format("{} <urn:hasa:confidence> \"{:.6g}\"^^<{}> .\n", node, confidence, kDouble);
}

}  // namespace

LinkFormat link_format_of(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  if (ending == ".tsv") return LinkFormat::tsv;
  if (ending == ".jsonl") return LinkFormat::jsonl;
  HASA_CHECK(ending == ".nt", config, "{}: what to write is told by the name's ending, expected .tsv, .jsonl or .nt",
             file.string());
  return LinkFormat::ntriples;
}

std::string to_text(std::span<const LikelyLink> links, const LiveState& state, LinkFormat format) {
  std::string text = format == LinkFormat::tsv ? "head\trelation\ttail\tprobability\tscore\n" : "";
  for (std::size_t i = 0; i < links.size(); ++i) {
    const LikelyLink& link = links[i];
    if (format == LinkFormat::ntriples) {
      text += rdf_statement(link, i + 1, state);
    } else if (format == LinkFormat::tsv) {
      text += fmt::format("{}\t{}\t{:.6g}\n", prediction_ids(link.triple, state), probability_words(link.probability),
                          link.score);
    } else {
      Json json = prediction_json(link.triple, state);
      json["probability"] = probability_json(link.probability);
      json["score"] = link.score;
      text += prediction_line(json);
    }
  }
  return text;
}

std::string judged_columns() {
  return "head\trelation\ttail\tscore\tprobability\trank_of_tail\trank_of_head\tknown\n";
}

std::string to_text(std::span<const JudgedTriple> triples, const LiveState& state, LinkFormat format) {
  HASA_CHECK(format != LinkFormat::ntriples, config, "scores of triples are written as .tsv or .jsonl");
  std::string text;
  for (const JudgedTriple& each : triples) {
    const std::string known = each.known ? to_string(*each.known) : "";
    if (format == LinkFormat::tsv) {
      text += fmt::format("{}\t{:.6g}\t{}\t{}\t{}\t{}\n", prediction_ids(each.triple, state), each.score,
                          probability_words(each.probability), each.rank_of_tail, each.rank_of_head,
                          known.empty() ? "new" : known);
      continue;
    }
    Json json = prediction_json(each.triple, state);
    json["score"] = each.score;
    json["probability"] = probability_json(each.probability);
    json["rank_of_tail"] = each.rank_of_tail;
    json["rank_of_head"] = each.rank_of_head;
    json["known"] = known.empty() ? Json() : Json(known);
    text += prediction_line(json);
  }
  return text;
}

}  // namespace hasa
