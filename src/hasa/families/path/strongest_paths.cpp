#include "hasa/families/path/strongest_paths.h"

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "hasa/base/error.h"

namespace hasa {
namespace {

constexpr std::size_t kBeam = 10;
constexpr float kFlat = 1.004e-3F;  // a spread this small has no gradient (ops/graph/path_messages_kernels.h)

/// The best partial paths to an entity: each ends with an edge of the graph and extends another one.
struct Way {
  double weight = 0;
  std::int32_t edge = -1;  // in PathGraph::edges; -1 at the query's entity
  std::int32_t entity = 0;
  std::size_t rank = 0;  // of the way it continues, among those of the edge's source
};
using Ways = std::vector<std::vector<Way>>;  // of each entity, best first

/// One layer of one query, ready to weigh its edges.
class LayerView {
 public:
  LayerView(const PathBatch& batch, std::int64_t layer, const PathModel::Trace& trace, const torch::Tensor& gradient)
      : batch_(batch),
        rows_in_(batch.rows[static_cast<std::size_t>(layer)]),
        states_(trace.states[static_cast<std::size_t>(layer)].detach().contiguous()),
        relations_(trace.relations[static_cast<std::size_t>(layer)].detach().contiguous()),
        heard_(trace.messages[static_cast<std::size_t>(layer)].detach().contiguous()),
        gradient_(gradient.contiguous()),
        dim_(states_.size(1)),
        pna_(heard_.size(1) == 5 * dim_) {}

  /// What each edge of an entity's row brings to the score.
  void weigh_row(std::int64_t entity, std::vector<double>& weights) const {
    const auto* offsets = batch_.graph.offsets.const_data_ptr<std::int32_t>();
    weights.assign(static_cast<std::size_t>(offsets[entity + 1] - offsets[entity]), 0);
    const std::int64_t row = batch_.position.const_data_ptr<std::int32_t>()[entity];
    const float* heard = heard_.const_data_ptr<float>() + row * heard_.size(1);
    const float* gradient = gradient_.const_data_ptr<float>() + row * heard_.size(1);
    const bool head = batch_.heads.const_data_ptr<std::int64_t>()[0] == entity;
    const float n = batch_.visible.degree.const_data_ptr<float>()[entity] + 1;
    for (std::int64_t d = 0; d < dim_; ++d) weigh_column(offsets[entity], d, heard, gradient, n, head, weights);
  }

 private:
  void weigh_column(std::int32_t first, std::int64_t d, const float* heard, const float* gradient, float n, bool head,
                    std::vector<double>& weights) const {
    // The first message that has the greatest value is the one that it came from; the start stands before all edges.
    bool greatest_found = !pna_ || (!head && heard[2 * dim_ + d] == 0),
         least_found = !pna_ || (!head && heard[3 * dim_ + d] == 0);
    const auto* edges = batch_.visible.edges.const_data_ptr<std::int32_t>();
    const auto* position = batch_.position.const_data_ptr<std::int32_t>();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const std::int32_t* edge = edges + 2 * (first + static_cast<std::int32_t>(i));
      const std::int32_t row = edge[0] < 0 ? -1 : position[edge[0]];
      if (row < 0 || row >= rows_in_) continue;
      const float message =
          states_.const_data_ptr<float>()[row * dim_ + d] * relations_.const_data_ptr<float>()[edge[1] * dim_ + d];
      double slope = pna_ ? 0 : gradient[dim_ + d];
      if (pna_) {
        const float mean = heard[dim_ + d], spread = heard[4 * dim_ + d];
        slope = gradient[dim_ + d] / n;
        if (spread > kFlat) slope += gradient[4 * dim_ + d] * (message - mean) / (n * spread);
        if (!greatest_found && message == heard[2 * dim_ + d]) slope += gradient[2 * dim_ + d];
        if (!least_found && message == heard[3 * dim_ + d]) slope += gradient[3 * dim_ + d];
        greatest_found = greatest_found || message == heard[2 * dim_ + d];
        least_found = least_found || message == heard[3 * dim_ + d];
      }
      weights[i] += slope * message;
    }
  }

  const PathBatch& batch_;
  std::int64_t rows_in_;
  torch::Tensor states_, relations_, heard_, gradient_;
  std::int64_t dim_;
  bool pna_;
};

void keep_best(std::vector<Way>& ways) {
  const std::size_t kept = std::min(ways.size(), kBeam);
  std::partial_sort(
      ways.begin(), ways.begin() + static_cast<std::ptrdiff_t>(kept), ways.end(),
      [](const Way& a, const Way& b) { return a.weight != b.weight ? a.weight > b.weight : a.edge < b.edge; });
  ways.resize(kept);
}

/// The ways of one more step than `before`, over the entities that are reached by then.
Ways extend(const PathBatch& batch, const LayerView& layer, std::int64_t rows, const Ways& before, EntityId answer) {
  const auto* offsets = batch.graph.offsets.const_data_ptr<std::int32_t>();
  const auto* edges = batch.visible.edges.const_data_ptr<std::int32_t>();
  Ways after(before.size());
  std::vector<double> weights;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int32_t v = batch.pairs.const_data_ptr<std::int32_t>()[row];
    layer.weigh_row(v, weights);
    for (std::int32_t k = offsets[v]; k < offsets[v + 1]; ++k) {
      const std::int32_t u = edges[2 * k];
      double weight = weights[static_cast<std::size_t>(k - offsets[v])];
      // Copies of a triple stand side by side: they are one edge of a path.
      while (k + 1 < offsets[v + 1] && edges[2 * k + 2] == u && edges[2 * k + 3] == edges[2 * k + 1])
        weight += weights[static_cast<std::size_t>(++k - offsets[v])];
      if (u < 0 || u == answer) continue;
      const std::vector<Way>& sources = before[static_cast<std::size_t>(u)];
      for (std::size_t rank = 0; rank < sources.size(); ++rank)
        after[static_cast<std::size_t>(v)].push_back({sources[rank].weight + weight, k, v, rank});
    }
    keep_best(after[static_cast<std::size_t>(v)]);
  }
  return after;
}

StrongPath walk_back(const PathBatch& batch, const std::vector<Ways>& ways, std::size_t length, const Way& last) {
  const auto* edges = batch.visible.edges.const_data_ptr<std::int32_t>();
  StrongPath path;
  path.weight = last.weight / static_cast<double>(length);
  Way way = last;
  for (std::size_t l = length; l > 0; --l) {
    const std::int32_t from = edges[2 * way.edge];
    path.edges.push_back({from, edges[2 * way.edge + 1], way.entity});
    way = ways[l - 1][static_cast<std::size_t>(from)][way.rank];
  }
  std::reverse(path.edges.begin(), path.edges.end());
  return path;
}

}  // namespace

std::vector<StrongPath> strongest_paths(const PathModel& given_model, const PathGraph& given_graph, const Query& query,
                                        EntityId answer, std::size_t count) {
  HASA_CHECK(answer >= 0 && answer < given_graph.entities(), data, "there is no entity number {} in this graph",
             answer);
  const PathModel model = given_model.on_cpu();
  const PathBatchPtr batch = make_path_batch(given_graph.to(torch::kCPU), torch::tensor({std::int64_t{query.given}}),
                                             {}, model.config().layers);
  PathModel::Trace trace;
  const torch::Tensor scores = model.scores(batch, torch::tensor({std::int64_t{query.relation}}), &trace);
  const auto gradients = torch::autograd::grad({scores[0][answer]}, trace.messages, {}, false, false, true);
  std::vector<Ways> ways(1, Ways(static_cast<std::size_t>(batch->graph.entities())));
  ways[0][static_cast<std::size_t>(query.given)] = {{0, -1, query.given, 0}};
  std::vector<StrongPath> paths;
  for (std::size_t l = 0; l < trace.messages.size() && query.given != answer; ++l) {
    const torch::Tensor gradient = gradients[l].defined() ? gradients[l] : torch::zeros_like(trace.messages[l]);
    const LayerView layer(*batch, static_cast<std::int64_t>(l), trace, gradient);
    ways.push_back(extend(*batch, layer, batch->rows[l + 1], ways.back(), answer));
    for (const Way& way : ways.back()[static_cast<std::size_t>(answer)])
      paths.push_back(walk_back(*batch, ways, l + 1, way));
  }
  std::stable_sort(paths.begin(), paths.end(),
                   [](const StrongPath& a, const StrongPath& b) { return a.weight > b.weight; });
  paths.resize(std::min(paths.size(), count));
  return paths;
}

std::string path_in_words(const StrongPath& path, const Graph& graph) {
  std::string words;
  for (const WalkedEdge& edge : path.edges) {
    if (words.empty()) words = graph.entity_name(edge.from);
    words += " -" + graph.relation_text(edge.relation) + "-> ";
    words += graph.entity_name(edge.to);
  }
  return words;
}

}  // namespace hasa
