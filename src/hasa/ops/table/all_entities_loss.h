#pragma once

#include <torch/types.h>

#include "hasa/ops/core/ragged_ids.h"

namespace hasa {

enum class AllEntitiesLoss { cross_entropy, bce };

/// The loss of queries scored against all entities. With y_e = (1 - smoothing) / labels for the entities that answer a
/// query (labels of them, 1 for cross-entropy over a single answer) and smoothing / entities more for every entity:
///
///   cross_entropy  - sum over e of y_e log softmax(scores)_e
///   bce            - sum over e of z_e log sigmoid(s_e) + (1 - z_e) log sigmoid(-s_e), s = scores + offset, where z is
///                    y without the division by the number of labels
///
/// scores [queries, entities]; answers: the distinct labels of each query, one at least. Mean over the queries.
/// Differentiable; labels are never written out as a matrix.
torch::Tensor all_entities_loss(const torch::Tensor& scores, const RaggedIds& answers, AllEntitiesLoss kind,
                                double smoothing, double offset);

/// With the labels as a matrix, in double.
torch::Tensor all_entities_loss_reference(const torch::Tensor& scores, const RaggedIds& answers, AllEntitiesLoss kind,
                                          double smoothing, double offset);

}  // namespace hasa
