#include "hasa/families/table/table_model.h"

#include "hasa/model/query_columns.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/ops/score/complex_rows.h"

namespace hasa {
namespace {

constexpr std::int64_t kRowsDrawnAtOnce = 1 << 16;

/// From torch's CPU generator, some rows at a time: the host needs no memory for a whole GPU table, nor a process for
/// more than its shard, the rows that are kept.
torch::Tensor drawn(std::int64_t rows, std::int64_t columns, RowShare kept, TableInit init, double scale,
                    const torch::TensorOptions& options) {
  // Xavier's forms keep the variance of a product of [rows, columns].
  const double xavier = std::sqrt(2.0 / static_cast<double>(rows + columns)) * scale;
  torch::Tensor table = torch::empty({kept.count, columns}, options);
  for (std::int64_t first = 0; first < rows; first += kRowsDrawnAtOnce) {
    const std::int64_t last = std::min(rows, first + kRowsDrawnAtOnce);
    const torch::Tensor x = torch::empty({last - first, columns});
    switch (init) {
      case TableInit::uniform: x.uniform_(-scale, scale); break;
      case TableInit::normal: x.normal_(0, scale); break;
      case TableInit::xavier_uniform: x.uniform_(-xavier * std::sqrt(3.0), xavier * std::sqrt(3.0)); break;
      case TableInit::xavier_normal: x.normal_(0, xavier); break;
    }
    const std::int64_t begin = std::max(first, kept.first), end = std::min(last, kept.first + kept.count);
    if (begin < end) table.slice(0, begin - kept.first, end - kept.first).copy_(x.slice(0, begin - first, end - first));
  }
  return table;
}

class TableScorer : public VectorScorer {
 public:
  explicit TableScorer(TableModel model)
      : model_(std::move(model)), entities_(model_.entities().detach().to(torch::kFloat32)) {}

  const torch::Tensor& entities() const override { return entities_; }
  torch::Tensor query_vectors(std::span<const Query> queries) const override {
    const torch::NoGradGuard no_grad;
    const QueryIds ids = ids_of(queries, device());
    return model_.queries(entities_.index_select(0, ids.given),
                          model_.relations().index_select(0, model_.relation_rows(ids.relations)), ids.relations);
  }
  Similarity similarity() const override { return model_.similarity(); }

 private:
  TableModel model_;
  torch::Tensor entities_;  // the model's own where those are float32
};

}  // namespace

const char* to_string(TableForm form) {
  switch (form) {
    case TableForm::transe: return "TransE";
    case TableForm::distmult: return "DistMult";
    case TableForm::complex: return "ComplEx";
    case TableForm::rotate: return "RotatE";
  }
  return "";
}

TableModel::TableModel(const TableModelConfig& config, std::int64_t entities, std::int64_t relations,
                       const torch::Device& device, std::optional<RowShare> shard)
    : config_(config),
      num_entities_(entities),
      num_relations_(relations),
      shard_(shard.value_or(RowShare{0, entities})),
      sharded_(shard.has_value()) {
  HASA_CHECK(!is_complex() || config.dim % 2 == 0, config,
             "model.dim is {}, but {} needs an even dimension: real and imaginary parts", config.dim,
             to_string(config.form));
  const torch::Dtype kept = config.precision == TablePrecision::bf16 ? torch::kBFloat16 : torch::kFloat32;
  const auto numbers = torch::TensorOptions(device).dtype(torch::kFloat32);
  entities_ = drawn(entities, config.dim, shard_, config.init, config.init_scale, numbers.dtype(kept));
  const std::int64_t rows = config.reciprocal ? 2 * relations : relations;
  const RowShare all{0, rows};
  // An angle is drawn from the whole circle.
  relations_ = config.form == TableForm::rotate
                   ? drawn(rows, config.dim / 2, all, TableInit::uniform, config.half_turn, numbers)
                   : drawn(rows, config.dim, all, config.init, config.init_scale, numbers);
}

Similarity TableModel::similarity() const {
  switch (config_.form) {
    case TableForm::transe: return config_.norm == 1 ? Similarity::negative_l1 : Similarity::negative_l2;
    case TableForm::rotate: return Similarity::negative_modulus;
    default: return Similarity::dot;
  }
}

torch::Tensor TableModel::relation_rows(const torch::Tensor& directed) const {
  return config_.reciprocal ? directed : directed.remainder(num_relations_);
}

torch::Tensor TableModel::queries(const torch::Tensor& heads, const torch::Tensor& relations,
                                  const torch::Tensor& directed) const {
  // An inverse without its own vector is its relation inverted.
  const torch::Tensor turned =
      config_.reciprocal || config_.form == TableForm::distmult ? torch::Tensor() : directed.ge(num_relations_);
  switch (config_.form) {
    case TableForm::transe:
      return heads + (turned.defined() ? torch::where(turned.unsqueeze(1), -relations, relations) : relations);
    case TableForm::distmult: return heads * relations;
    case TableForm::complex: return complex_product(heads, relations, turned);
    case TableForm::rotate: return complex_rotation(heads, relations, std::numbers::pi / config_.half_turn, turned);
  }
  return {};
}

torch::Tensor TableModel::relation_queries(const torch::Tensor& heads, const torch::Tensor& tails) const {
  HASA_ASSERT(has_relation_queries());
  if (config_.form == TableForm::transe) return tails - heads;
  if (config_.form == TableForm::distmult) return heads * tails;
  return complex_product(tails, heads, torch::ones({heads.size(0)}, heads.options().dtype(torch::kBool)));
}

torch::Tensor TableModel::squared_moduli(const torch::Tensor& x) const {
  if (!is_complex()) return x.square();
  return real_parts(x).square() + imaginary_parts(x).square();
}

torch::Tensor TableModel::squared_relation_moduli(const torch::Tensor& x) const {
  return config_.form == TableForm::complex ? squared_moduli(x) : x.square();
}

torch::Tensor TableModel::scores_as_written(const torch::Tensor& heads, const torch::Tensor& directed,
                                            const torch::Tensor& tails) const {
  // (t, r^-1, h) is the triple (h, r, t), unless inverse relations have their own vectors.
  const torch::Tensor inverse = directed.ge(num_relations_);
  const torch::Tensor swapped = config_.reciprocal ? torch::zeros_like(inverse) : inverse;
  const auto row = [](const torch::Tensor& table, const torch::Tensor& ids) {
    return table.index_select(0, ids).to(torch::kFloat64);
  };
  const torch::Tensor h = row(entities_, torch::where(swapped, tails, heads));
  const torch::Tensor t = row(entities_, torch::where(swapped, heads, tails));
  const torch::Tensor r = row(relations_, relation_rows(directed));
  if (config_.form == TableForm::transe)
    return -(h + r - t).norm(static_cast<double>(config_.norm), {1}, /*keepdim=*/false);
  if (config_.form == TableForm::distmult) return (h * r * t).sum(1);
  const auto complex = [](const torch::Tensor& x) {
    return torch::complex(real_parts(x).contiguous(), imaginary_parts(x).contiguous());
  };
  const torch::Tensor a = complex(h), b = complex(t);
  if (config_.form == TableForm::complex) return torch::real(a * complex(r) * b.conj()).sum(1);
  return -(a * torch::polar(torch::ones_like(r), r * (std::numbers::pi / config_.half_turn)) - b).abs().sum(1);
}

std::unique_ptr<VectorScorer> TableModel::scorer() const {
  HASA_ASSERT(!sharded());
  return std::make_unique<TableScorer>(*this);
}

}  // namespace hasa
