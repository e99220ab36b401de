#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "hasa/base/error.h"
#include "hasa/job/run_config.h"
#include "hasa/serve/predictor.h"
#include "hasa/serve/served_run.h"
#include "open_graph.h"
#include "utf8.h"

namespace nb = nanobind;

namespace hasa::python {

namespace {

struct OpenRun {
  std::shared_ptr<ServedRun> served;
  std::filesystem::path graph_folder;
};

/// A question or a triple in a user's words: head, relation, tail, and the text of a head or a tail that the graph does
/// not have. What is asked for is not there.
using Words = std::tuple<std::optional<std::string>, std::optional<std::string>, std::optional<std::string>,
                         std::optional<std::string>, std::optional<std::string>>;

std::optional<Given> given(const ServedRun& run, const LiveState& state, const char* end,
                           const std::optional<std::string>& name, const std::optional<std::string>& text) {
  HASA_CHECK(!name || !text, config, "give {} or {}_text, not both", end, end);
  if (text) return UnseenEntity::of_text(*text);
  if (name) return run.lookup().entity(state, *name);
  return std::nullopt;
}

/// Words with their meaning looked up.
struct Asked {
  std::optional<Given> head;
  std::optional<RelationId> relation;  // directed
  std::optional<Given> tail;

  int parts() const { return static_cast<int>(head.has_value()) + relation.has_value() + tail.has_value(); }
};

/// Says which one of several cannot be understood. What it throws says in its kind what its cause did.
std::vector<Asked> look_up(const ServedRun& run, const LiveState& state, const std::vector<Words>& all, int parts,
                           const char* expected) {
  std::vector<Asked> asked;
  asked.reserve(all.size());
  for (const auto& [head, relation, tail, head_text, tail_text] : all) {
    try {
      Asked one{given(run, state, "head", head, head_text), std::nullopt, given(run, state, "tail", tail, tail_text)};
      if (relation) one.relation = find_relation(run.graph(), *relation);
      HASA_CHECK(one.parts() == parts, config, "{}", expected);
      asked.push_back(std::move(one));
    } catch (const Error& error) {
      if (all.size() == 1) throw;
      fail(error.kind(), "number {} of {}: {}", asked.size() + 1, all.size(), error.what());
    }
  }
  return asked;
}

template <class T>
nb::object known_word(const std::optional<T>& known) {
  return known ? nb::object(nb::str(to_string(*known))) : nb::none();
}

nb::list to_list(const LiveState& state, const std::vector<Answer>& answers) {
  nb::list list;
  for (const Answer& a : answers) {
    list.append(nb::make_tuple(utf8_text(state.entity_id(a.entity)), utf8_text(state.entity_name(a.entity)), a.score,
                               a.probability, known_word(a.known)));
  }
  return list;
}

nb::list to_list(const LiveState& state, const std::vector<RelationAnswer>& answers) {
  nb::list list;
  for (const RelationAnswer& a : answers) {
    list.append(nb::make_tuple(utf8_text(state.graph().relation_id(a.relation)),
                               utf8_text(state.graph().relation_text(a.relation)), a.score, a.probability,
                               known_word(a.known)));
  }
  return list;
}

/// Of entities and of relations, each answered together, and where each question's answers are.
struct Questions {
  std::vector<Question> for_entities;
  std::vector<RelationQuestion> for_relations;
  std::vector<bool> asks_relation;  // by question
};

Questions sorted_out(const ServedRun& run, std::vector<Asked> asked, std::int64_t top, bool new_only) {
  Questions questions;
  for (Asked& one : asked) {
    questions.asks_relation.push_back(!one.relation);
    if (!one.relation) {
      questions.for_relations.push_back({std::move(*one.head), std::move(*one.tail), top, new_only});
    } else if (one.head) {
      questions.for_entities.push_back({std::move(*one.head), *one.relation, {.top = top, .new_only = new_only}});
    } else {
      questions.for_entities.push_back(
          {std::move(*one.tail), inverse(*one.relation, run.graph().relations()), {.top = top, .new_only = new_only}});
    }
  }
  return questions;
}

nb::list predict(const OpenRun& of, const std::vector<Words>& words, std::int64_t top, bool new_only) {
  const ServedRun& run = *of.served;
  const std::shared_ptr<const LiveState> state = run.state();
  Questions questions;
  std::vector<std::vector<Answer>> entities;
  std::vector<std::vector<RelationAnswer>> relations;
  {
    const nb::gil_scoped_release released;
    HASA_CHECK(top >= 1, config, "top is {}, expected at least 1", top);
    questions = sorted_out(run,
                           look_up(run, *state, words, 2,
                                   "give two of head, relation and tail: what is left out is asked for (score() judges "
                                   "all three)"),
                           top, new_only);
    const Predictor predictor(run);
    entities = predictor.answers(*state, questions.for_entities);
    relations = predictor.relations(*state, questions.for_relations);
  }
  nb::list all;
  auto of_entities = entities.begin();
  auto of_relations = relations.begin();
  for (const bool asks_relation : questions.asks_relation)
    all.append(asks_relation ? to_list(*state, *of_relations++) : to_list(*state, *of_entities++));
  return all;
}

nb::list score(const OpenRun& of, const std::vector<Words>& words) {
  const ServedRun& run = *of.served;
  std::vector<Judgement> judgements;
  {
    const nb::gil_scoped_release released;
    const std::shared_ptr<const LiveState> state = run.state();
    std::vector<Statement> statements;
    statements.reserve(words.size());
    for (Asked& one : look_up(run, *state, words, 3, "a triple has a head, a relation and a tail"))
      statements.push_back({std::move(*one.head), *one.relation, std::move(*one.tail)});
    judgements = Predictor(run).judgements(*state, statements);
  }
  nb::list list;
  for (const Judgement& j : judgements) list.append(nb::make_tuple(j.score, j.probability, known_word(j.known)));
  return list;
}

/// A tensor of rows as NumPy sees it, in place where it lies on the CPU; the run may hold the memory.
Matrix<float> rows_of(const torch::Tensor& rows, const std::shared_ptr<const ServedRun>& run) {
  const torch::Tensor here = rows.to(torch::kCPU, torch::kFloat32).contiguous();
  return view_of(here.const_data_ptr<float>(), static_cast<std::size_t>(here.size(0)),
                 static_cast<std::size_t>(here.size(1)), std::pair(here, run));
}

Matrix<float> encode(const OpenRun& of, const std::vector<std::string>& texts) {
  torch::Tensor vectors;
  {
    const nb::gil_scoped_release released;
    std::vector<UnseenEntity> entities;
    entities.reserve(texts.size());
    for (const std::string& text : texts) entities.push_back(UnseenEntity::of_text(text));
    vectors = of.served->reader().entity_vectors(entities);
  }
  return rows_of(vectors, of.served);
}

Matrix<float> embeddings(const OpenRun& of) {
  const VectorScorer* const vectors = of.served->vectors();
  HASA_CHECK(vectors != nullptr, unavailable,
             "{} has no vector for each entity: it scores query and entity together ({})",
             of.served->run().folder().string(), of.served->facts().name);
  return rows_of(vectors->entities(), of.served);
}

OpenRun open_run(const std::filesystem::path& folder, const std::string& graph, const std::string& device) {
  const nb::gil_scoped_release released;
  std::shared_ptr<ServedRun> served = ServedRun::open(folder, {.graph = graph, .device = device});
  const std::string graph_folder = graph.empty() ? served->config().graph : graph;
  return {std::move(served), graph_folder};
}

bool calibrate(const OpenRun& of) {
  const nb::gil_scoped_release released;
  of.served->calibrate_if_cheap();
  return of.served->calibration() != nullptr;
}

OpenGraph graph_of(const OpenRun& of) {
  return {std::shared_ptr<const Graph>(of.served, &of.served->graph()), of.graph_folder};
}

}  // namespace

void bind_run(nb::module_& module) {
  nb::class_<OpenRun>(module, "Run")
      .def_prop_ro("folder", [](const OpenRun& of) { return of.served->run().folder(); })
      .def_prop_ro("graph", &graph_of)
      .def_prop_ro("model", [](const OpenRun& of) { return of.served->facts().name; })
      .def_prop_ro("score_meaning", [](const OpenRun& of) { return of.served->facts().score; })
      .def_prop_ro("reads_text", [](const OpenRun& of) { return of.served->reads_text(); })
      .def_prop_ro("config_yaml", [](const OpenRun& of) { return of.served->run().config_yaml(); })
      .def_prop_ro("embeddings", &embeddings, nb::rv_policy::reference)
      .def("predict", &predict, nb::arg("questions"), nb::arg("top"), nb::arg("new_only"))
      .def("score", &score, nb::arg("triples"))
      .def("calibrate", &calibrate)
      .def("encode", &encode, nb::arg("texts"));
  module.def("open_run", &open_run, nb::arg("folder"), nb::arg("graph"), nb::arg("device"));
}

}  // namespace hasa::python
