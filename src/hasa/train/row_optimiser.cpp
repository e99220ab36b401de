#include "hasa/train/row_optimiser.h"

#include "hasa/base/error.h"

namespace hasa {
namespace {

RowRule rule_of(OptimiserKind kind) {
  switch (kind) {
    case OptimiserKind::adamw: return RowRule::adam;
    case OptimiserKind::adagrad: return RowRule::adagrad;
    case OptimiserKind::row_adagrad: return RowRule::row_adagrad;
  }
  return RowRule::adam;
}

}  // namespace

RowOptimiser::RowOptimiser(const NamedTensor& table, RowGradients& gradient, const Parameters& others,
                           const OptimiserConfig& config, std::int64_t first_row)
    : config_(config),
      table_(table),
      first_row_(first_row),
      gradient_(gradient),
      rule_(rule_of(config.kind)),
      rows_(RowState::of(table.tensor, rule_)),
      steps_(torch::zeros({1}, torch::kInt64)),
      others_(make_optimiser(others, config)) {}

torch::Tensor RowOptimiser::step(double factor) {
  const torch::NoGradGuard no_grad;
  HASA_ASSERT(gradient_.length.defined());
  std::int64_t& steps = *steps_.data_ptr<std::int64_t>();
  ++steps;
  update_rows(table_.tensor, rows_, gradient_.sampled, gradient_.direct,
              {rule_, config_.lr * factor, config_.weight_decay, steps, static_cast<std::uint64_t>(steps), first_row_});
  others_->step(factor);
  torch::Tensor length = gradient_.length;
  gradient_ = {};
  return length;
}

NamedTensors RowOptimiser::state() const {
  NamedTensors list = others_->state();
  list.push_back({"square." + table_.name, rows_.squares, table_.rows, table_.whole_rows});
  if (rows_.means.defined())
    list.push_back({"mean." + table_.name, rows_.means, table_.rows, table_.whole_rows});
  list.push_back({"steps." + table_.name, steps_});
  return list;
}

std::int64_t row_state_bytes(OptimiserKind kind, std::int64_t rows, std::int64_t columns) {
  const auto size = static_cast<std::int64_t>(sizeof(float));
  if (kind == OptimiserKind::row_adagrad) return rows * size;
  return rows * columns * size * (kind == OptimiserKind::adamw ? 2 : 1);
}

}  // namespace hasa
