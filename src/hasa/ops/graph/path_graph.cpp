#include "hasa/ops/graph/path_graph.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "hasa/base/error.h"

namespace hasa {
namespace {

constexpr std::int32_t kGroupEdges = 128, kPartEdges = 256, kRelationPartGroups = 256;

template <std::size_t N>
torch::Tensor table_of(const std::vector<std::array<std::int32_t, N>>& rows) {
  torch::Tensor table =
      torch::empty({static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(N)}, torch::kInt32);
  if (!rows.empty()) std::copy_n(rows.front().data(), rows.size() * N, table.data_ptr<std::int32_t>());
  return table;
}

torch::Tensor starts_of(const torch::Tensor& ids, std::int64_t count) {
  torch::Tensor offsets = torch::zeros({count + 1}, torch::kInt64);
  offsets.slice(0, 1).copy_(torch::cumsum(torch::bincount(ids, {}, count), 0));
  return offsets.to(torch::kInt32);
}

/// Rows in order of relation, neighbour and triple, and where each triple's two edges went.
void place_edges(PathGraph& graph, const torch::Tensor& heads, const torch::Tensor& relations,
                 const torch::Tensor& tails, std::int64_t entity_count, std::int64_t relation_count) {
  const std::int64_t triples = heads.size(0);
  const torch::Tensor to = torch::cat({tails, heads}), from = torch::cat({heads, tails});
  const torch::Tensor relation = torch::cat({relations, relations + relation_count});
  const auto stable = [](const torch::Tensor& keys, const torch::Tensor& order) {
    const torch::Tensor sorted = torch::argsort(keys.index_select(0, order), /*stable=*/true, std::int64_t{0}, false);
    return order.index_select(0, sorted);
  };
  const torch::Tensor by_source = stable(from, torch::arange(2 * triples));
  const torch::Tensor order = stable(to * (2 * relation_count) + relation, by_source);
  torch::Tensor place = torch::empty_like(order);
  place.index_copy_(0, order, torch::arange(2 * triples));
  graph.offsets = starts_of(to, entity_count);
  graph.edges = torch::stack({from, relation}, 1).index_select(0, order).to(torch::kInt32).contiguous();
  graph.edges_of_triple = torch::stack({place.slice(0, 0, triples), place.slice(0, triples)}, 1).contiguous();
  const torch::Tensor slot = place - graph.offsets.to(torch::kInt64).index_select(0, to);  // of the unsorted edges
  const torch::Tensor twin = torch::cat({slot.slice(0, triples), slot.slice(0, 0, triples)});
  graph.twin_slot = twin.index_select(0, order).to(torch::kInt32);
  graph.degree = torch::bincount(to, {}, entity_count).to(torch::kFloat32);
}

/// Cuts each row into groups of one relation, and gathers groups into parts.
void cut_rows(PathGraph& graph, std::int64_t relation_count) {
  const auto* offsets = graph.offsets.const_data_ptr<std::int32_t>();
  const auto* edges = graph.edges.const_data_ptr<std::int32_t>();
  const auto turned = static_cast<std::int32_t>(relation_count);
  std::vector<std::array<std::int32_t, 4>> groups, parts;
  std::vector<std::array<std::int32_t, 3>> hubs;
  std::int32_t hub_parts = 0;
  for (std::int32_t e = 0; e < graph.entities(); ++e) {
    graph.longest_row = std::max<std::int64_t>(graph.longest_row, offsets[e + 1] - offsets[e]);
    const auto first_part = static_cast<std::int32_t>(parts.size());
    std::int32_t part_begin = offsets[e];
    parts.push_back({e, static_cast<std::int32_t>(groups.size()), static_cast<std::int32_t>(groups.size()), -1});
    for (std::int32_t begin = offsets[e], end = begin; begin < offsets[e + 1]; begin = end) {
      const std::int32_t relation = edges[2 * begin + 1];
      while (end < offsets[e + 1] && end - begin < kGroupEdges && edges[2 * end + 1] == relation) ++end;
      const auto number = static_cast<std::int32_t>(groups.size());
      if (end - part_begin > kPartEdges) {
        parts.push_back({e, number, number, -1});
        part_begin = begin;
      }
      groups.push_back({begin, end, e, relation < turned ? relation + turned : relation - turned});
      parts.back()[2] = number + 1;
    }
    const auto count = static_cast<std::int32_t>(parts.size()) - first_part;
    if (count == 1) continue;
    hubs.push_back({e, hub_parts, hub_parts + count});
    for (std::int32_t p = 0; p < count; ++p) parts[static_cast<std::size_t>(first_part + p)][3] = hub_parts++;
  }
  const auto length = [&](const std::array<std::int32_t, 4>& part) {
    return part[1] == part[2] ? 0 : groups[part[2] - 1][1] - groups[part[1]][0];
  };
  // Long parts first: what is left at the end of a kernel is short.
  std::stable_sort(parts.begin(), parts.end(), [&](const auto& a, const auto& b) { return length(a) > length(b); });
  graph.groups = table_of(groups);
  graph.parts = table_of(parts);
  graph.hubs = table_of(hubs);
  graph.hub_parts = hub_parts;
}

/// The groups in order of relation, cut into parts of their own for the relations' gradient.
void order_by_relation(PathGraph& graph, std::int64_t relation_count) {
  const torch::Tensor relation = graph.groups.select(1, 3).to(torch::kInt64).contiguous();
  graph.groups_of_relation =
      torch::argsort(relation, /*stable=*/true, std::int64_t{0}, false).to(torch::kInt32).contiguous();
  const torch::Tensor starts = starts_of(relation, 2 * relation_count);
  const auto* start = starts.const_data_ptr<std::int32_t>();
  std::vector<std::array<std::int32_t, 3>> parts;
  graph.relation_offsets = torch::zeros({2 * relation_count + 1}, torch::kInt32);
  auto* part_offsets = graph.relation_offsets.data_ptr<std::int32_t>();
  for (std::int32_t r = 0; r < 2 * relation_count; ++r) {
    for (std::int32_t g = start[r]; g < start[r + 1]; g += kRelationPartGroups)
      parts.push_back({r, g, std::min(g + kRelationPartGroups, start[r + 1])});
    part_offsets[r + 1] = static_cast<std::int32_t>(parts.size());
  }
  graph.relation_parts = table_of(parts);
}

}  // namespace

PathGraph PathGraph::to(const torch::Device& device) const {
  PathGraph there = *this;
  for (torch::Tensor* t : {&there.offsets, &there.edges, &there.twin_slot, &there.edges_of_triple, &there.groups,
                           &there.groups_of_relation, &there.relation_parts, &there.relation_offsets, &there.parts,
                           &there.hubs, &there.degree})
    *t = t->to(device);
  return there;
}

PathGraph make_path_graph(const torch::Tensor& heads, const torch::Tensor& relations, const torch::Tensor& tails,
                          std::int64_t entity_count, std::int64_t relation_count) {
  HASA_CHECK(heads.size(0) < std::numeric_limits<std::int32_t>::max() / 2, data,
             "a path model takes up to a thousand million triples, the graph has {}", heads.size(0));
  PathGraph graph;
  place_edges(graph, heads, relations, tails, entity_count, relation_count);
  cut_rows(graph, relation_count);
  order_by_relation(graph, relation_count);
  return graph;
}

VisibleEdges hide_triples(const PathGraph& graph, const torch::Tensor& hidden) {
  if (!hidden.defined() || hidden.numel() == 0) return {graph.edges, graph.degree};
  const torch::Tensor places = graph.edges_of_triple.index_select(0, hidden);  // [hidden, 2]
  torch::Tensor edges = graph.edges.clone();
  edges.select(1, 0).index_fill_(0, places.flatten(), -1);
  // An edge stands in the row of its twin's source.
  const torch::Tensor rows = graph.edges.select(1, 0).index_select(0, places.flatten()).to(torch::kInt64);
  // Counts are whole numbers, so the order in which they are taken off does not matter.
  torch::Tensor degree = graph.degree.clone();
  degree.index_add_(0, rows, torch::full({rows.size(0)}, -1.0F, degree.options()));
  return {edges, degree};
}

}  // namespace hasa
