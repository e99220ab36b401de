#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>

#include "hasa/base/config.h"
#include "hasa/families/kbgan/transd.h"
#include "hasa/families/table/table_model.h"
#include "hasa/model/scorer.h"
#include "hasa/nn/named_tensor.h"

namespace hasa {

enum class KbganDiscriminator : std::uint8_t { transe, transd };
inline EnumNames<KbganDiscriminator> names_of(KbganDiscriminator) {
  return {{KbganDiscriminator::transe, "transe"}, {KbganDiscriminator::transd, "transd"}};
}
enum class KbganGenerator : std::uint8_t { distmult, complex };
inline EnumNames<KbganGenerator> names_of(KbganGenerator) {
  return {{KbganGenerator::distmult, "distmult"}, {KbganGenerator::complex, "complex"}};
}

struct KbganModelConfig {
  KbganDiscriminator discriminator = KbganDiscriminator::transe;
  KbganGenerator generator = KbganGenerator::distmult;
  std::int64_t dim = 100;
  std::int64_t generator_dim = 100;
  std::int64_t norm = 1;
  double margin = 3;
  std::int64_t candidates = 20;
  bool filtered = false;
  std::int64_t pretrain_epochs = 20;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = KbganModelConfig;
    field("discriminator", &C::discriminator, "the model that is trained by a margin loss and kept");
    field("generator", &C::generator, "the model that generates the negatives");
    field("dim", &C::dim, "dimension of the discriminator", Range{1, 8192});
    field("generator_dim", &C::generator_dim, "dimension of the generator; even for complex", Range{1, 8192});
    field("norm", &C::norm, "norm of transe's distance: 1 or 2; transd's is 2", Range{1, 2});
    field("margin", &C::margin, "margin of the discriminator's loss", Range{0, 1000});
    field("candidates", &C::candidates, "entities drawn per triple, of which the generator picks one", Range{1, 10000});
    field("filtered", &C::filtered,
          "redraw candidates that are known training answers; a good generator would otherwise pick those");
    field("pretrain_epochs", &C::pretrain_epochs,
          "initial epochs in which both are trained separately with random negatives", Range{0, 100000});
  }
};

/// KBGAN's two players. Relations have one vector for both directions. The discriminator's entities are kept within the
/// unit ball, because growing norms would otherwise satisfy the margin.
class KbganModel {
 public:
  KbganModel(const KbganModelConfig& config, std::int64_t entities, std::int64_t relations,
             const torch::Device& device);

  /// Of candidates [n, c] for the heads and directed relations of n triples -> [n, c]. Differentiable in the tables.
  torch::Tensor discriminator_scores(const torch::Tensor& heads, const torch::Tensor& directed,
                                     const torch::Tensor& candidates) const;
  torch::Tensor generator_scores(const torch::Tensor& heads, const torch::Tensor& directed,
                                 const torch::Tensor& candidates) const;
  void constrain() const;

  NamedTensors parameters() const;
  const KbganModelConfig& config() const { return config_; }
  std::unique_ptr<VectorScorer> scorer() const;

 private:
  bool is_transd() const { return config_.discriminator == KbganDiscriminator::transd; }

  KbganModelConfig config_;
  std::unique_ptr<TableModel> transe_;  // or
  std::unique_ptr<TransD> transd_;
  TableModel generator_;
};

}  // namespace hasa
