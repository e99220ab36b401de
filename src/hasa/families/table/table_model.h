#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "hasa/base/config.h"
#include "hasa/dist/comm.h"
#include "hasa/model/scorer.h"
#include "hasa/nn/named_tensor.h"

namespace hasa {

enum class TableForm : std::uint8_t { transe, distmult, complex, rotate };

enum class TableInit : std::uint8_t { uniform, normal, xavier_uniform, xavier_normal };
inline EnumNames<TableInit> names_of(TableInit) {
  return {{TableInit::uniform, "uniform"},
          {TableInit::normal, "normal"},
          {TableInit::xavier_uniform, "xavier_uniform"},
          {TableInit::xavier_normal, "xavier_normal"}};
}

/// Storage of the entity table.
enum class TablePrecision : std::uint8_t { fp32, bf16 };
inline EnumNames<TablePrecision> names_of(TablePrecision) {
  return {{TablePrecision::fp32, "fp32"}, {TablePrecision::bf16, "bf16"}};
}

/// Options shared by models with a vector per entity and relation.
struct TableModelConfig {
  TableForm form = TableForm::complex;  // set by the model's tag
  std::int64_t dim = 256;
  bool reciprocal = true;
  TableInit init = TableInit::xavier_normal;
  double init_scale = 1;
  TablePrecision precision = TablePrecision::fp32;
  std::int64_t norm = 1;
  double half_turn = 3.14159265358979;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = TableModelConfig;
    field("dim", &C::dim, "dimension of entity vectors; complex and rotate have half as many complex numbers",
          Range{1, 8192});
    field("reciprocal", &C::reciprocal,
          "inverse relations have their own vectors; otherwise head prediction uses the relation's vector");
    field("init", &C::init, "initialisation of the vectors");
    field("init_scale", &C::init_scale,
          "half the width of uniform, the standard deviation of normal, the gain of the xavier forms", Range{0, 100});
    field("precision", &C::precision,
          "precision of the entity table; bf16 halves memory and bandwidth (except for a copy in fp32 during ranking) "
          "and rounds updates stochastically, so that small updates are not lost on average; only with "
          "tables.training=negative_sampling");
  }
};

template <TableForm kForm>
struct TableConfigOf : TableModelConfig {
  static constexpr const char* kTag = kForm == TableForm::transe     ? "transe"
                                      : kForm == TableForm::distmult ? "distmult"
                                      : kForm == TableForm::complex  ? "complex"
                                                                     : "rotate";
  TableConfigOf() { form = kForm; }

  template <class Visitor>
  static void fields(Visitor& field) {
    TableModelConfig::fields(field);
    if constexpr (kForm == TableForm::transe)
      field("norm", &TableModelConfig::norm, "norm of the distance: 1 or 2", Range{1, 2});
    if constexpr (kForm == TableForm::rotate)
      field("half_turn", &TableModelConfig::half_turn,
            "the value in a relation's vector that stands for half a turn; if it is about as large as an entity's "
            "values, one learning rate suits both",
            Range{1e-6, 100});
  }
};
using TransEConfig = TableConfigOf<TableForm::transe>;
using DistMultConfig = TableConfigOf<TableForm::distmult>;
using ComplExConfig = TableConfigOf<TableForm::complex>;
using RotatEConfig = TableConfigOf<TableForm::rotate>;

/// "TransE"
const char* to_string(TableForm form);

/// TransE, DistMult, ComplEx and RotatE. With h, r, t the vectors of a triple its score is
///
///   transe    -|h + r - t|, L1 or L2        distmult  sum of h r t
///   complex   Re(sum of h r conj(t))        rotate    -sum of |h e^(i pi r / half_turn) - t|
///
/// Each is the similarity of t and a vector made of h and r, the query.
/// That of (?, r, t) is made of t and the inverted relation: -r for transe
/// and rotate, conj(r) for complex, r for distmult; with `reciprocal` inverse relations have their own vectors instead.
/// Complex vectors have their real parts first, then their imaginary parts.
class TableModel {
 public:
  /// Vectors are drawn from torch's CPU generator. With `shard`, only those entities are kept, and are the same.
  TableModel(const TableModelConfig& config, std::int64_t entities, std::int64_t relations, const torch::Device& device,
             std::optional<RowShare> shard = std::nullopt);

  /// [entities, dim], float32 or bfloat16 by the precision, and [relations or twice as many, relation_dim] float32;
  /// both are plain tensors that training updates. Of a sharded model entities() has the rows of the shard.
  const torch::Tensor& entities() const { return entities_; }
  const torch::Tensor& relations() const { return relations_; }

  std::int64_t num_entities() const { return num_entities_; }
  /// The entities whose vectors are here.
  RowShare shard() const { return shard_; }
  bool sharded() const { return sharded_; }

  /// Rows of relations() that directed relations have.
  torch::Tensor relation_rows(const torch::Tensor& directed) const;
  /// Vectors of heads [n, dim] and of their relations [n, relation_dim] -> queries [n, dim]. Differentiable.
  torch::Tensor queries(const torch::Tensor& heads, const torch::Tensor& relations,
                        const torch::Tensor& directed) const;
  /// Queries for relation prediction from heads and
  /// tails, [n, relation_dim]. rotate has no such form.
  torch::Tensor relation_queries(const torch::Tensor& heads, const torch::Tensor& tails) const;
  bool has_relation_queries() const { return config_.form != TableForm::rotate; }
  Similarity similarity() const;

  /// The scores of directed triples by the formulas above as written, in double: the reference for tests.
  torch::Tensor scores_as_written(const torch::Tensor& heads, const torch::Tensor& directed,
                                  const torch::Tensor& tails) const;

  /// Squared moduli of an entity's values, or of a relation's, for the regulariser.
  torch::Tensor squared_moduli(const torch::Tensor& entities) const;
  torch::Tensor squared_relation_moduli(const torch::Tensor& relations) const;

  NamedTensors parameters() const {
    return {{"entities", entities_, Rows::appended, sharded() ? num_entities_ : 0},
            {"relations", relations_, config_.reciprocal ? Rows::directed : Rows::appended}};
  }
  const TableModelConfig& config() const { return config_; }
  torch::Device device() const { return entities_.device(); }

  /// For ranking and prediction with the current parameters: after
  /// an update, request another. bfloat16 entities are copied to float32. Not of a sharded model
  /// (sharded_table_scorer.h).
  std::unique_ptr<VectorScorer> scorer() const;

 private:
  bool is_complex() const { return config_.form == TableForm::complex || config_.form == TableForm::rotate; }

  TableModelConfig config_;
  std::int64_t num_entities_, num_relations_;
  RowShare shard_;
  bool sharded_;
  torch::Tensor entities_, relations_;
};

}  // namespace hasa
