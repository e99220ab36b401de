#include "hasa/serve/nearest_facts.h"

#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/mv.h>
#include <ATen/ops/stack.h>

#include <algorithm>

namespace hasa {

EndCosines end_cosines(const torch::Tensor& entities, const torch::Tensor& norms, const torch::Tensor& head,
                       const torch::Tensor& tail) {
  const auto cosines = [&](const torch::Tensor& end) {
    const torch::Tensor length = at::linalg_vector_norm(end) * norms;
    return (at::mv(entities, end) / length.clamp_min(1e-12)).to(torch::kCPU, torch::kFloat).contiguous();
  };
  return {cosines(head), cosines(tail)};
}

std::vector<FactReason> nearest_facts(const Graph& graph, const Triple& asked, const EndCosines& like,
                                      std::size_t count) {
  const auto* head = like.heads.const_data_ptr<float>();
  const auto* tail = like.tails.const_data_ptr<float>();
  const Triple exchanged{asked.tail, asked.relation, asked.head};
  std::vector<FactReason> best;  // a heap, the least like of them first
  const auto is_better = [](const FactReason& a, const FactReason& b) {
    return a.similarity != b.similarity ? a.similarity > b.similarity : a.triple < b.triple;
  };
  for (const Triple& triple : graph.triples(Split::train)) {
    if (triple.relation != asked.relation || triple == asked || triple == exchanged) continue;
    const FactReason fact{triple, (double{head[triple.head]} + tail[triple.tail]) / 2};
    if (best.size() == count && (count == 0 || !is_better(fact, best.front()))) continue;
    const bool is_copy = std::any_of(best.begin(), best.end(), [&](const FactReason& b) { return b.triple == triple; });
    if (is_copy) continue;
    if (best.size() == count) {
      std::pop_heap(best.begin(), best.end(), is_better);
      best.pop_back();
    }
    best.push_back(fact);
    std::push_heap(best.begin(), best.end(), is_better);
  }
  std::sort_heap(best.begin(), best.end(), is_better);
  return best;
}

}  // namespace hasa
