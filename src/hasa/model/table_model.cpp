#include "hasa/model/table_model.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "hasa/base/error.h"

namespace hasa {
namespace {

torch::Tensor drawn(std::int64_t rows, std::int64_t columns, TableInit init, double scale) {
  torch::Tensor x = torch::empty({rows, columns});
  // Xavier's forms keep the variance of a product of [rows, columns].
  const double xavier = std::sqrt(2.0 / static_cast<double>(rows + columns)) * scale;
  switch (init) {
    case TableInit::uniform: return x.uniform_(-scale, scale);
    case TableInit::normal: return x.normal_(0, scale);
    case TableInit::xavier_uniform: return x.uniform_(-xavier * std::sqrt(3.0), xavier * std::sqrt(3.0));
    case TableInit::xavier_normal: return x.normal_(0, xavier);
  }
  return x;
}

struct Complex {
  torch::Tensor real, imaginary;

  explicit Complex(const torch::Tensor& x)
      : real(x.narrow(-1, 0, x.size(-1) / 2)), imaginary(x.narrow(-1, x.size(-1) / 2, x.size(-1) / 2)) {}
  Complex(torch::Tensor re, torch::Tensor im) : real(std::move(re)), imaginary(std::move(im)) {}

  Complex times(const Complex& other) const {
    return {real * other.real - imaginary * other.imaginary, real * other.imaginary + imaginary * other.real};
  }
  torch::Tensor whole() const { return torch::cat({real, imaginary}, -1); }
};

class TableScorer : public Scorer {
 public:
  explicit TableScorer(TableModel model) : model_(std::move(model)) {}

  const torch::Tensor& entities() const override { return model_.entities(); }
  torch::Tensor queries(const torch::Tensor& heads, const torch::Tensor& relations) const override {
    const torch::NoGradGuard no_grad;
    return model_.queries(model_.entities().index_select(0, heads),
                          model_.relations().index_select(0, model_.relation_rows(relations)), relations);
  }
  Similarity similarity() const override { return model_.similarity(); }

 private:
  TableModel model_;
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
                       const torch::Device& device)
    : config_(config), num_relations_(relations) {
  HASA_CHECK(!is_complex() || config.dim % 2 == 0, config,
             "model.dim is {}, but {} takes an even number: real and imaginary parts", config.dim,
             to_string(config.form));
  entities_ = drawn(entities, config.dim, config.init, config.init_scale).to(device);
  const std::int64_t rows = config.reciprocal ? 2 * relations : relations;
  // An angle is drawn from the whole circle.
  relations_ = (config.form == TableForm::rotate ? drawn(rows, config.dim / 2, TableInit::uniform, config.half_turn)
                                                 : drawn(rows, config.dim, config.init, config.init_scale))
                   .to(device);
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

/// 1, or -1 where the relation is to be turned round: [n, 1].
torch::Tensor TableModel::sign_of(const torch::Tensor& directed) const {
  return directed.lt(num_relations_).to(torch::kFloat32).mul_(2).sub_(1).unsqueeze(-1);
}

torch::Tensor TableModel::queries(const torch::Tensor& heads, const torch::Tensor& relations,
                                  const torch::Tensor& directed) const {
  const auto turned = [&](const torch::Tensor& r) { return config_.reciprocal ? r : r * sign_of(directed); };
  switch (config_.form) {
    case TableForm::transe: return heads + turned(relations);
    case TableForm::distmult: return heads * relations;
    case TableForm::complex: {
      const Complex r(relations);
      return Complex(heads).times({r.real, turned(r.imaginary)}).whole();
    }
    case TableForm::rotate: {
      const torch::Tensor angle = turned(relations) * (std::numbers::pi / config_.half_turn);
      return Complex(heads).times({angle.cos(), angle.sin()}).whole();
    }
  }
  return {};
}

torch::Tensor TableModel::relation_queries(const torch::Tensor& heads, const torch::Tensor& tails) const {
  HASA_ASSERT(has_relation_queries());
  if (config_.form == TableForm::transe) return tails - heads;
  if (config_.form == TableForm::distmult) return heads * tails;
  const Complex h(heads);
  return Complex(h.real, -h.imaginary).times(Complex(tails)).whole();
}

torch::Tensor TableModel::squared_moduli(const torch::Tensor& x) const {
  if (!is_complex()) return x.square();
  const Complex z(x);
  return z.real.square() + z.imaginary.square();
}

torch::Tensor TableModel::squared_relation_moduli(const torch::Tensor& x) const {
  return config_.form == TableForm::complex ? squared_moduli(x) : x.square();
}

torch::Tensor TableModel::scores_as_written(const torch::Tensor& heads, const torch::Tensor& directed,
                                            const torch::Tensor& tails) const {
  // (t, r^-1, h) is the triple (h, r, t), unless the inverse is a relation like others.
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
  const auto complex = [](const Complex& x) { return torch::complex(x.real.contiguous(), x.imaginary.contiguous()); };
  const torch::Tensor a = complex(Complex(h)), b = complex(Complex(t));
  if (config_.form == TableForm::complex) return torch::real(a * complex(Complex(r)) * b.conj()).sum(1);
  return -(a * torch::polar(torch::ones_like(r), r * (std::numbers::pi / config_.half_turn)) - b).abs().sum(1);
}

std::unique_ptr<Scorer> TableModel::scorer() const { return std::make_unique<TableScorer>(*this); }

}  // namespace hasa
