#include "hasa/families/path/path_model.h"

#include <fmt/format.h>

#include <cmath>

#include "hasa/ops/core/kernel_arguments.h"
#include "hasa/ops/graph/path_messages.h"

namespace hasa {
namespace {

torch::Tensor normal(std::initializer_list<std::int64_t> sizes) { return torch::randn(sizes).requires_grad_(); }

torch::Tensor uniform(std::int64_t outputs, std::int64_t inputs, double bound) {
  return torch::empty({outputs, inputs}).uniform_(-bound, bound).requires_grad_();
}

/// Row i of the result is row of_row[i] of `rows`. Where many rows of a GPU take the same one, its gradient is a
/// product (summed in float32, in a fixed order) and not a pile of atomic additions.
torch::Tensor repeat_rows(const torch::Tensor& rows, const torch::Tensor& of_row) {
  if (!rows.is_cuda() || !wants_gradient({rows})) return rows.index_select(0, of_row);
  torch::Tensor chosen = torch::zeros({of_row.size(0), rows.size(0)}, rows.options().requires_grad(false));
  chosen.scatter_(1, of_row.unsqueeze(1), 1.0);
  return torch::mm(chosen, rows);
}

}  // namespace

PathGraph training_paths(const Graph& graph) {
  const auto triples = graph.triples(Split::train);
  torch::Tensor columns = torch::empty({3, static_cast<std::int64_t>(triples.size())}, torch::kInt64);
  auto* ids = columns.data_ptr<std::int64_t>();
  for (std::size_t i = 0; i < triples.size(); ++i) {
    ids[i] = triples[i].head;
    ids[triples.size() + i] = triples[i].relation;
    ids[2 * triples.size() + i] = triples[i].tail;
  }
  return make_path_graph(columns[0], columns[1], columns[2], graph.entities(), graph.relations());
}

PathModel::PathModel(const PathModelConfig& config, std::int64_t relations, const torch::Device& device)
    : config_(config), device_(device), dtype_(torch::kFloat32), directed_relations_(2 * relations) {
  const std::int64_t dim = config.dim;
  const bool pna = config.aggregation == Aggregation::pna;
  // As a linear map of the state and four aggregates in three scales would be drawn.
  const double bound = 1 / std::sqrt(static_cast<double>((pna ? 13 : 2) * dim));
  query_ = normal({directed_relations_, dim});
  for (std::int64_t l = 0; l < config.layers; ++l) {
    Layer layer;
    if (config.dependent) {
      layer.map = Linear(dim, directed_relations_ * dim);
    } else {
      layer.relation = normal({directed_relations_, dim});
    }
    layer.weight = pna ? uniform(3 * dim, 5 * dim, bound) : uniform(dim, 2 * dim, bound);
    layer.bias = torch::empty({dim}).uniform_(-bound, bound).requires_grad_();
    layer.norm = LayerNorm(dim);
    layers_.push_back(std::move(layer));
  }
  hidden_ = Linear(2 * dim, 2 * dim);
  score_ = Linear(2 * dim, 1);
  move_to(device);
}

void PathModel::add_texts(const torch::Tensor& texts, std::int64_t text_dim) {
  const double bound = 1 / std::sqrt(static_cast<double>(text_dim));
  Texts made;
  made.of_entities = texts;
  made.project = Linear(texts.size(1), text_dim);
  made.norm = LayerNorm(text_dim);
  made.relation = normal({directed_relations_, text_dim});
  made.start = uniform(config_.dim, text_dim, bound);
  made.match = uniform(2 * config_.dim, text_dim, bound);
  made.own = uniform(2 * config_.dim, text_dim, bound);
  texts_ = std::move(made);
  move_to(device_);
}

void PathModel::move_to(const torch::Device& device) {
  device_ = device;
  dtype_ = device.is_cpu() || config_.precision == PathPrecision::fp32 ? torch::kFloat32 : torch::kBFloat16;
  const auto move = [&](torch::Tensor& parameter) {
    if (parameter.defined()) parameter = parameter.detach().to(device).requires_grad_();
  };
  move(query_);
  for (Layer& layer : layers_) {
    for (torch::Tensor* t : {&layer.map.weight, &layer.map.bias, &layer.relation, &layer.weight, &layer.bias,
                             &layer.norm.weight, &layer.norm.bias})
      move(*t);
  }
  for (torch::Tensor* t : {&hidden_.weight, &hidden_.bias, &score_.weight, &score_.bias}) move(*t);
  if (!texts_) return;
  texts_->of_entities = texts_->of_entities.to(device);
  for (torch::Tensor* t : {&texts_->project.weight, &texts_->project.bias, &texts_->norm.weight, &texts_->norm.bias,
                           &texts_->relation, &texts_->start, &texts_->match, &texts_->own})
    move(*t);
}

PathModel PathModel::on_cpu() const {
  PathModel there = *this;
  if (!device_.is_cpu()) there.move_to(torch::kCPU);
  return there;
}

NamedTensors PathModel::parameters() const {
  NamedTensors list = {{"query", query_, Rows::directed}};
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const std::string name = fmt::format("layer.{}", l);
    if (config_.dependent) {
      // Outputs for each relation lie together, so their halves are those of the relations.
      append(list, name + ".map",
             {{"weight", layer.map.weight, Rows::directed}, {"bias", layer.map.bias, Rows::directed}});
    } else {
      list.push_back({name + ".relation", layer.relation, Rows::directed});
    }
    list.push_back({name + ".weight", layer.weight});
    list.push_back({name + ".bias", layer.bias});
    append(list, name + ".norm", layer.norm.parameters());
  }
  append(list, "hidden", hidden_.parameters());
  append(list, "score", score_.parameters());
  if (texts_) {
    append(list, "text.project", texts_->project.parameters());
    append(list, "text.norm", texts_->norm.parameters());
    list.push_back({"text.relation", texts_->relation, Rows::directed});
    list.push_back({"text.start", texts_->start});
    list.push_back({"text.match", texts_->match});
    list.push_back({"text.own", texts_->own});
  }
  return list;
}

PathModel::ReadTexts PathModel::read_texts(const torch::Tensor& heads, const torch::Tensor& relations) const {
  ReadTexts read;
  read.entities = texts_->norm(texts_->project(texts_->of_entities));
  const torch::Tensor given = read.entities.index_select(0, heads);
  read.asked = given * texts_->relation.index_select(0, relations);
  read.start = torch::mm(given, texts_->start.t());
  return read;
}

torch::Tensor PathModel::hidden_of_texts(const ReadTexts& texts) const {
  // (asked * v) match^T = v (asked * match)^T, and the candidate's own part is the same for all queries.
  const torch::Tensor weights = texts.asked.unsqueeze(1) * texts_->match + texts_->own;  // [queries, 2 dim, text dim]
  const torch::Tensor hidden =
      torch::mm(texts.entities.to(dtype_), weights.view({-1, weights.size(2)}).t().to(dtype_));
  return hidden.view({-1, weights.size(1)});
}

torch::Tensor PathModel::relations_of(const Layer& layer, const torch::Tensor& query) const {
  const std::int64_t queries = query.size(0);
  const torch::Tensor relations = config_.dependent ? layer.map(query).view({queries, directed_relations_, config_.dim})
                                                    : layer.relation.unsqueeze(0).expand({queries, -1, -1});
  return relations.to(dtype_);
}

torch::Tensor PathModel::scores(const PathBatchPtr& batch, const torch::Tensor& relations) const {
  return scores(batch, relations, nullptr);
}

torch::Tensor PathModel::scores(const PathBatchPtr& batch, const torch::Tensor& relations, Trace* trace) const {
  const torch::Tensor query = query_.index_select(0, relations);  // [queries, dim] float32
  std::optional<ReadTexts> texts;
  if (texts_) texts = read_texts(batch->heads, relations);
  const torch::Tensor start = (texts ? query + texts->start : query).to(dtype_);
  // Heads come first among the rows, by entity: each brings its query's vector.
  const torch::Tensor first =
      batch->pairs.slice(0, 0, batch->rows[0]).remainder(std::max<std::int64_t>(1, batch->queries()));
  torch::Tensor states = start.index_select(0, first);
  for (std::int64_t l = 1; l <= config_.layers; ++l) {
    const Layer& layer = layers_[static_cast<std::size_t>(l - 1)];
    const torch::Tensor seen = relations_of(layer, query);
    const torch::Tensor heard = path_messages(states, seen, start, batch, l, config_.aggregation);
    if (trace != nullptr) {
      trace->states.push_back(states);
      trace->relations.push_back(seen);
      trace->messages.push_back(heard);
    }
    const torch::Tensor z = torch::mm(heard, layer.weight.to(dtype_).t());
    states = path_update(z, {layer.bias, layer.norm.weight, layer.norm.bias}, states, batch, l);
  }
  return read_states(batch, states, query, texts);
}

torch::Tensor PathModel::read_states(const PathBatchPtr& batch, const torch::Tensor& states,
                                     const torch::Tensor& query, const std::optional<ReadTexts>& texts) const {
  const std::int64_t dim = config_.dim, queries = batch->queries();
  // The query's half of the hidden layer is the same for all entities.
  const torch::Tensor of_query = torch::linear(query, hidden_.weight.slice(1, dim), hidden_.bias);  // [queries, 2 dim]
  const torch::Tensor pairs = batch->pairs.to(torch::kInt64);
  const torch::Tensor query_of_row = pairs.remainder(std::max<std::int64_t>(1, queries));
  const torch::Tensor of_state = torch::mm(states, hidden_.weight.slice(1, 0, dim).to(dtype_).t());
  if (texts) {
    const std::int64_t entities = batch->graph.entities();
    const torch::Tensor of_texts = hidden_of_texts(*texts).view({entities, queries, 2 * dim});
    const torch::Tensor before = (of_texts + of_query.to(dtype_)).view({entities * queries, 2 * dim});
    const torch::Tensor every = torch::relu(before.index_add(0, pairs, of_state));
    const torch::Tensor scores = torch::mm(every, score_.weight.to(dtype_).t()).to(torch::kFloat32);
    return scores.view({entities, queries}).t() + score_.bias;
  }
  const torch::Tensor hidden = torch::relu(of_state + repeat_rows(of_query.to(dtype_), query_of_row));
  const torch::Tensor reached = torch::mm(hidden, score_.weight.to(dtype_).t()).flatten().to(torch::kFloat32);
  const torch::Tensor unreached = torch::mm(torch::relu(of_query), score_.weight.t()).flatten();  // [queries]
  const std::int64_t entities = batch->graph.entities();
  const torch::Tensor all =
      unreached.unsqueeze(0).expand({entities, queries}).reshape(-1).index_copy(0, pairs, reached);
  return all.view({entities, queries}).t() + score_.bias;
}

std::int64_t PathModel::scoring_bytes(const PathGraph& graph) const {
  // A layer holds its states, messages (5 dim), their places (2 of 4 bytes at most), products (3 dim) and new states;
  // the hidden layer is less. Positions and distances are 10 bytes a pair, scores 8.
  const std::int64_t value = dtype_ == torch::kFloat32 ? 4 : 2;
  const std::int64_t texts = texts_ ? graph.entities() * config_.dim * 6 * value : 0;  // three hidden layers of 2 dim
  return texts + graph.entities() * (config_.dim * (10 * value + 8) + 18) +
         graph.directed_relations() * config_.dim * 3 * value;
}

std::int64_t PathModel::training_bytes(const PathGraph& graph) const {
  // What each layer keeps for its gradient, then the gradients and scratch of one layer, groups' sums with them.
  const std::int64_t value = dtype_ == torch::kFloat32 ? 4 : 2;
  const std::int64_t kept = graph.entities() * config_.dim * (9 * value + 4);
  const std::int64_t relations = graph.directed_relations() * config_.dim * (value + 4);
  const std::int64_t scratch = graph.entities() * config_.dim * 16 * value + graph.groups.size(0) * config_.dim * value;
  const std::int64_t texts = texts_ ? graph.entities() * config_.dim * 8 * value : 0;
  return config_.layers * (kept + relations) + scratch + texts;
}

}  // namespace hasa
