#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hasa {

/// How much a request may ask for.
struct RequestLimits {
  std::int64_t top = 1000;
  std::size_t batch = 1000;       // questions, or triples
  std::size_t text_bytes = 8192;  // of one text; a model reads far less of it
};

/// One end of a question or triple: the id or name of an entity, or a text never seen before. Neither: it is asked for.
struct AskedEnd {
  std::optional<std::string> entity, text;
  bool given() const { return entity || text; }
};

/// Two of the three are given, and the third is asked for.
struct AskedQuestion {
  AskedEnd head, tail;
  std::optional<std::string> relation;
  std::string where;  // "queries[3]", or "" where there is but one: for messages
};

struct PredictRequest {
  std::vector<AskedQuestion> questions;
  bool is_list = false;  // whether it came as {"queries": [...]}
  std::int64_t top = 10;
  bool new_only = false;
  bool occurs_with_relation = false;                   // only entities that some triple has on that side
  std::optional<std::vector<std::string>> candidates;  // only these
};

struct AskedTriple {
  AskedEnd head, tail;
  std::string relation;
  std::string where;
};

/// One triple, or {"triples": [...]}.
struct TriplesRequest {
  std::vector<AskedTriple> triples;
  bool is_list = false;
};

/// Whether the ends of a triple may be texts never seen before: where it is scored, not where it is added.
enum class Texts { allowed, refused };

struct ExplainRequest {
  AskedQuestion question;
  std::string answer;
};

struct EntityText {
  std::string name, description;
};

/// Each reads the body of a request and throws Problem: malformed, out of range, too many. Names are looked up later.
PredictRequest read_predict_request(std::string_view body, const RequestLimits& limits);
TriplesRequest read_triples_request(std::string_view body, Texts texts, const RequestLimits& limits);
ExplainRequest read_explain_request(std::string_view body, const RequestLimits& limits);
EntityText read_entity_text(std::string_view body, const RequestLimits& limits);

/// Of `GET /v1/entities?q=words&limit=20`, and, without words, of `GET /v1/entities/{id}?limit=20`.
struct SearchRequest {
  std::string words;
  std::int64_t limit = 20;
};
SearchRequest read_search_request(std::string_view query, const RequestLimits& limits, const SearchRequest& otherwise);

}  // namespace hasa
