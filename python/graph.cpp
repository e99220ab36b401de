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
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "hasa/base/error.h"
#include "hasa/kg/import_graph.h"
#include "hasa/serve/lookup.h"
#include "open_graph.h"
#include "utf8.h"

namespace nb = nanobind;

namespace hasa::python {

namespace {

Split split_of(const std::string& word) {
  for (const Split split : kSplits) {
    if (word == to_string(split)) return split;
  }
  fail(ErrorKind::config, "unknown split \"{}\"; expected train, valid or test", word);
}

OpenGraph open_graph(const std::filesystem::path& folder) {
  const nb::gil_scoped_release released;
  return {std::make_shared<const Graph>(Graph::open(folder)), folder};
}

nb::tuple entity(const OpenGraph& of, EntityId entity) {
  const Graph& graph = *of.graph;
  if (entity < 0 || entity >= graph.entities()) throw nb::index_error();
  return nb::make_tuple(utf8_text(graph.entity_id(entity)), utf8_text(graph.entity_name(entity)),
                        utf8_text(graph.entity_description(entity)));
}

nb::tuple relation(const OpenGraph& of, RelationId relation) {
  const Graph& graph = *of.graph;
  if (relation < 0 || relation >= graph.relations()) throw nb::index_error();
  return nb::make_tuple(utf8_text(graph.relation_id(relation)), utf8_text(graph.relation_text(relation)));
}

/// A triple is three int32 in a row, in memory and on the disk.
Matrix<std::int32_t> triples(const OpenGraph& of, const std::string& split) {
  const auto found = of.graph->triples(split_of(split));
  return view_of(reinterpret_cast<const std::int32_t*>(found.data()), found.size(), 3, of.graph);
}

/// What of an import was said; what was not keeps its default, and is no mistake where it would do nothing.
struct ImportWords {
  std::vector<std::string> texts, relation_texts;
  std::optional<double> valid, test, unseen;
  std::optional<std::uint64_t> seed;
  std::string format, bad_lines;
};

ReadTriplesOptions options_of(const ImportWords& words) {
  ReadTriplesOptions options;
  options.as.format = input_format_of(words.format);
  options.import.bad_lines = bad_lines_of(words.bad_lines);
  options.split.valid = words.valid.value_or(options.split.valid);
  options.split.test = words.test.value_or(options.split.test);
  options.split.unseen_entities = words.unseen.value_or(options.split.unseen_entities);
  options.split.seed = words.seed.value_or(options.split.seed);
  return options;
}

void check_import(ImportSource source, const ImportWords& words) {
  const bool made_of_files = source == ImportSource::triples;
  const bool has_splits =
      source == ImportSource::benchmark || source == ImportSource::numbered || source == ImportSource::splits;
  HASA_CHECK(made_of_files || (words.texts.empty() && words.relation_texts.empty()), config,
             "text and relation_text do nothing here: such a source has its own texts");
  HASA_CHECK(!has_splits || !(words.valid || words.test || words.unseen || words.seed), config,
             "valid, test, unseen and seed do nothing here: the folder has its own splits");
}

OpenGraph import(const std::vector<std::string>& inputs, const std::filesystem::path& out, const ImportWords& words) {
  const nb::gil_scoped_release released;
  const ImportSource source = import_source(inputs);
  check_import(source, words);
  import_graph(inputs, source, {words.texts, words.relation_texts}, options_of(words)).save(out);
  return {std::make_shared<const Graph>(Graph::open(out)), out};
}

}  // namespace

void bind_graph(nb::module_& module) {
  nb::class_<OpenGraph>(module, "Graph")
      .def_ro("folder", &OpenGraph::folder)
      .def_prop_ro("num_entities", [](const OpenGraph& of) { return of.graph->entities(); })
      .def_prop_ro("num_relations", [](const OpenGraph& of) { return of.graph->relations(); })
      .def("entity", &entity, nb::arg("index"))
      .def(
          "find_entity", [](const OpenGraph& of, const std::string& name) { return find_entity(*of.graph, name); },
          nb::arg("name"))
      .def("relation", &relation, nb::arg("index"))
      .def("triples", &triples, nb::arg("split"))
      .def("audit_json", [](const OpenGraph& of) { return to_json(of.graph->audit()); });
  module.def("open_graph", &open_graph, nb::arg("folder"));
  module.def(
      "import_graph",
      [](const std::vector<std::string>& inputs, const std::filesystem::path& out, const std::vector<std::string>& text,
         const std::vector<std::string>& relation_text, std::optional<double> valid, std::optional<double> test,
         std::optional<double> unseen, std::optional<std::uint64_t> seed, const std::string& format,
         const std::string& bad_lines) {
        return import(inputs, out, {text, relation_text, valid, test, unseen, seed, format, bad_lines});
      },
      nb::arg("inputs"), nb::arg("out"), nb::arg("text"), nb::arg("relation_text"), nb::arg("valid").none(),
      nb::arg("test").none(), nb::arg("unseen").none(), nb::arg("seed").none(), nb::arg("format"),
      nb::arg("bad_lines"));
}

}  // namespace hasa::python
