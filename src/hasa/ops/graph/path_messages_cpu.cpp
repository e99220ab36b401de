#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "hasa/ops/core/cpu_vector.h"
#include "hasa/ops/graph/path_messages_kernels.h"

namespace hasa::kernels {
namespace {

using cpu::Integers;
using cpu::Vector;

template <class T>
[[gnu::always_inline]] inline T chosen(Integers where, T yes, T no) {
  return where ? yes : no;
}

struct Message {
  const float* state;     // [dim]
  const float* relation;  // [dim]
  std::int32_t slot;
};

/// The messages that come to one pair from entities that are reached; `silent`: some edge comes from one that is not.
struct Heard {
  std::vector<Message> messages;
  bool silent = false;
};

[[gnu::always_inline]] inline void listen(const PathView& view, const PathForward& a, std::int64_t v, std::int64_t q,
                                          Heard& heard) {
  heard.messages.clear();
  heard.silent = false;
  const auto* states = static_cast<const float*>(a.states);
  const float* relations = static_cast<const float*>(a.relations) + q * view.directed_relations * view.dim;
  const std::int32_t begin = view.offsets[v], end = view.offsets[v + 1];
  for (std::int32_t k = begin; k < end; ++k) {
    const std::int32_t u = view.edges[2 * k];
    if (u < 0) continue;
    const std::int32_t row = view.position[u * view.queries + q];
    if (row >= view.rows_in) {
      heard.silent = true;
      continue;
    }
    heard.messages.push_back({states + row * view.dim, relations + view.edges[2 * k + 1] * view.dim, k - begin});
  }
}

/// Sixteen columns of one row of PNA.
[[gnu::always_inline]] inline void pna_columns(const Heard& heard, Vector start, float n, std::int64_t i,
                                               std::int64_t count, std::int64_t dim, float* out,
                                               std::int32_t* extremes) {
  Vector sum = start, squares = start * start, greatest = start, least = start;
  Integers high = Integers{} + kFromStart, low = high;
  const Vector zero{};
  if (heard.silent) {
    high = chosen(zero > greatest, Integers{} + kFromNowhere, high);
    low = chosen(zero < least, Integers{} + kFromNowhere, low);
    greatest = zero > greatest ? zero : greatest;
    least = zero < least ? zero : least;
  }
  for (const Message& m : heard.messages) {
    const Vector message = cpu::load(m.state + i, count) * cpu::load(m.relation + i, count);
    const Integers slot = Integers{} + m.slot, higher = message > greatest, lower = message < least;
    sum += message;
    squares += message * message;
    greatest = chosen(higher, message, greatest);
    least = chosen(lower, message, least);
    high = chosen(higher, slot, high);
    low = chosen(lower, slot, low);
  }
  const Vector mean = sum / n;
  const Vector variance = squares / n - mean * mean, flat = cpu::splat(kLeastVariance);
  cpu::store(out + dim + i, mean, count);
  cpu::store(out + 2 * dim + i, greatest, count);
  cpu::store(out + 3 * dim + i, least, count);
  cpu::store(out + 4 * dim + i, cpu::root(variance > flat ? variance : flat), count);
  for (std::int64_t c = 0; c < count; ++c) {
    extremes[2 * (i + c)] = high[c];
    extremes[2 * (i + c) + 1] = low[c];
  }
}

[[gnu::always_inline]] inline void forward_row(const PathView& view, const PathForward& a, std::int64_t row,
                                               Heard& heard) {
  const std::int64_t v = view.pairs[row] / view.queries, q = view.pairs[row] % view.queries, dim = view.dim;
  listen(view, a, v, q, heard);
  float* out = static_cast<float*>(a.out) + row * dim * (view.pna ? 5 : 2);
  const float* own = row < view.rows_in ? static_cast<const float*>(a.states) + row * dim : nullptr;
  const float* first = view.heads[q] == v ? static_cast<const float*>(a.start) + q * dim : nullptr;
  cpu::for_each_vector(dim, [&](std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
    const Vector start = first != nullptr ? cpu::load(first + i, count) : Vector{};
    cpu::store(out + i, own != nullptr ? cpu::load(own + i, count) : Vector{}, count);
    if (view.pna) {
      auto* extremes = static_cast<std::int32_t*>(a.extremes) + row * dim * 2;
      pna_columns(heard, start, view.degree[v] + 1, i, count, dim, out, extremes);
    } else {
      Vector sum = start;
      for (const Message& m : heard.messages) sum += cpu::load(m.state + i, count) * cpu::load(m.relation + i, count);
      cpu::store(out + dim + i, sum, count);
    }
  });
}

/// The gradient of one message at sixteen columns of a row, as it stands in path_messages_kernels.h.
struct RowGradient {
  const float *out, *grad;
  const std::int32_t* extremes;
  float n;
  std::int64_t dim;
  bool pna;

  [[gnu::always_inline]] Vector of(Vector message, std::int32_t slot, std::int64_t i, std::int64_t count) const {
    if (!pna) return cpu::load(grad + dim + i, count);
    const Vector mean = cpu::load(out + dim + i, count), spread = cpu::load(out + 4 * dim + i, count);
    const Vector slope = cpu::load(grad + 4 * dim + i, count) / (spread * n);
    const Vector c = spread > kFlatSpread ? slope : Vector{};
    Vector sum = cpu::load(grad + dim + i, count) / n + c * (message - mean);
    Integers high{}, low{};
    for (std::int64_t lane = 0; lane < count; ++lane) {
      high[lane] = extremes[2 * (i + lane)];
      low[lane] = extremes[2 * (i + lane) + 1];
    }
    const Integers here = Integers{} + slot;
    sum += chosen(high == here, cpu::load(grad + 2 * dim + i, count), Vector{});
    sum += chosen(low == here, cpu::load(grad + 3 * dim + i, count), Vector{});
    return sum;
  }
};

[[gnu::always_inline]] inline RowGradient row_gradient(const PathView& view, const PathBackward& a, std::int64_t v,
                                                       std::int64_t row) {
  const std::int64_t width = view.dim * (view.pna ? 5 : 2);
  return {static_cast<const float*>(a.out) + row * width,
          static_cast<const float*>(a.out_grad) + row * width,
          view.pna ? static_cast<const std::int32_t*>(a.extremes) + row * view.dim * 2 : nullptr,
          view.degree[v] + 1,
          view.dim,
          view.pna};
}

/// What goes back along one edge u -> v: to the state of u and to the relation.
[[gnu::always_inline]] inline void backward_edge(const RowGradient& gradient, std::int32_t slot, const float* state,
                                                 const float* relation, float* state_grad, float* relation_grad) {
  const auto columns = [&](std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
    const Vector x = cpu::load(state + i, count), w = cpu::load(relation + i, count);
    const Vector g = gradient.of(x * w, slot, i, count);
    cpu::store(state_grad + i, cpu::load(state_grad + i, count) + g * w, count);
    cpu::store(relation_grad + i, cpu::load(relation_grad + i, count) + g * x, count);
  };
  cpu::for_each_vector(gradient.dim, columns);
}

[[gnu::always_inline]] inline void backward_row(const PathView& view, const PathBackward& a, std::int64_t row) {
  const std::int64_t u = view.pairs[row] / view.queries, q = view.pairs[row] % view.queries, dim = view.dim;
  const std::int64_t turned = view.directed_relations / 2;
  const float* state = static_cast<const float*>(a.states) + row * dim;
  const float* relations = static_cast<const float*>(a.relations) + q * view.directed_relations * dim;
  float* relation_grads = a.relations_grad + q * view.directed_relations * dim;
  float* state_grad = static_cast<float*>(a.states_grad) + row * dim;
  const float* own = static_cast<const float*>(a.out_grad) + row * dim * (view.pna ? 5 : 2);
  std::copy(own, own + dim, state_grad);
  for (std::int32_t k = view.offsets[u]; k < view.offsets[u + 1]; ++k) {
    const std::int32_t v = view.edges[2 * k];
    if (v < 0) continue;
    const std::int64_t incoming = view.edges[2 * k + 1];
    const std::int64_t r = incoming < turned ? incoming + turned : incoming - turned;
    const RowGradient gradient = row_gradient(view, a, v, view.position[v * view.queries + q]);
    backward_edge(gradient, view.twin_slot[k], state, relations + r * dim, state_grad, relation_grads + r * dim);
  }
}

[[gnu::always_inline]] inline void backward_start(const PathView& view, const PathBackward& a, std::int64_t q) {
  const std::int64_t head = view.heads[q];
  const RowGradient gradient = row_gradient(view, a, head, view.position[head * view.queries + q]);
  const float* start = static_cast<const float*>(a.start) + q * view.dim;
  float* grad = static_cast<float*>(a.start_grad) + q * view.dim;
  cpu::for_each_vector(view.dim, [&](std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
    cpu::store(grad + i, gradient.of(cpu::load(start + i, count), kFromStart, i, count), count);
  });
}

/// The rows of each query, so that a thread has a query's relations to itself.
std::vector<std::vector<std::int32_t>> rows_by_query(const PathView& view) {
  std::vector<std::vector<std::int32_t>> rows(static_cast<std::size_t>(view.queries));
  for (std::int64_t row = 0; row < view.rows_in; ++row)
    rows[static_cast<std::size_t>(view.pairs[row] % view.queries)].push_back(static_cast<std::int32_t>(row));
  return rows;
}

}  // namespace

void path_forward_cpu(const PathView& view, const PathForward& arguments) {
  at::parallel_for(0, view.rows_out, 64, [&](std::int64_t begin, std::int64_t end) {
    Heard heard;
    cpu::run_for_this_cpu([&]() __attribute__((always_inline)) {
      for (std::int64_t row = begin; row < end; ++row) forward_row(view, arguments, row, heard);
    });
  });
}

void path_backward_cpu(const PathView& view, const PathBackward& arguments) {
  const auto rows = rows_by_query(view);
  const std::int64_t values = view.directed_relations * view.dim;
  at::parallel_for(0, view.queries, 1, [&](std::int64_t begin, std::int64_t end) {
    cpu::run_for_this_cpu([&]() __attribute__((always_inline)) {
      for (std::int64_t q = begin; q < end; ++q) {
        std::fill_n(arguments.relations_grad + q * values, values, 0.0F);
        for (const std::int32_t row : rows[static_cast<std::size_t>(q)]) backward_row(view, arguments, row);
        backward_start(view, arguments, q);
      }
    });
  });
}

}  // namespace hasa::kernels
