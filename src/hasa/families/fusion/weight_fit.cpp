#include "hasa/families/fusion/weight_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "hasa/base/thread_pool.h"

namespace hasa {
namespace {

constexpr double kGlobalPenalty = 1e-3;
constexpr int kMostSteps = 40;
constexpr int kMostHalvings = 30;
constexpr double kSmallEnough = 1e-7;  // of the value: what a further step could still gain
constexpr std::size_t kQueriesOfAPiece = 256;

using Numbers = std::vector<double>;

/// Value, gradient and Hessian of some queries of one relation, in the relation's own weights.
struct Curvature {
  double value = 0;
  Numbers gradient;  // [features]
  Numbers hessian;   // [features, features]

  explicit Curvature(std::size_t features) : gradient(features), hessian(features * features) {}
  void add(const Curvature& other) {
    value += other.value;
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += other.gradient[i];
    for (std::size_t i = 0; i < hessian.size(); ++i) hessian[i] += other.hessian[i];
  }
};

/// Solves a x = b in place for several b, for a positive definite a [n, n]; b [columns, n]. Cholesky.
void solve(Numbers a, std::size_t n, Numbers& b) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? std::sqrt(std::max(sum, 1e-300)) : sum / a[j * n + j];
    }
  }
  for (std::size_t c = 0; c < b.size() / n; ++c) {
    double* x = b.data() + c * n;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= a[i * n + k] * x[k];
      x[i] /= a[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) x[i] -= a[k * n + i] * x[k];
      x[i] /= a[i * n + i];
    }
  }
}

/// A minimisation: the queries by relation, in pieces for the threads, and the scaled features.
class Minimiser {
 public:
  Minimiser(const FitTable& table, RelationId relations, const WeightFit& fit)
      : table_(table), fit_(fit), features_(table.num_features()), relations_(static_cast<std::size_t>(relations)) {
    find_scales();
    cut_into_pieces();
  }

  FusionWeights start() const { return {features_, Numbers(features_, 0), Numbers(relations_ * features_, 0)}; }
  const Numbers& scales() const { return scales_; }

  /// The weights are those of scaled features here.
  double value(const FusionWeights& at) const {
    double total = penalty(at);
    for (const Curvature& each : curvatures(at, /*with_hessian=*/false)) total += each.value;
    return total;
  }

  /// A Newton step; returns the decrease, 0 at convergence.
  double step(FusionWeights& at, double value_at) const {
    const std::vector<Curvature> of_relation = curvatures(at, true);
    const FusionWeights direction = newton_direction(at, of_relation);
    double length = 1;
    for (int i = 0; i < kMostHalvings; ++i, length /= 2) {
      FusionWeights to = at;
      for (std::size_t f = 0; f < to.global.size(); ++f) to.global[f] += length * direction.global[f];
      for (std::size_t f = 0; f < to.offsets.size(); ++f) to.offsets[f] += length * direction.offsets[f];
      const double value_to = value(to);
      if (!(value_to < value_at)) continue;
      at = std::move(to);
      return value_at - value_to;
    }
    return 0;
  }

  FitValue value_and_gradient(const FusionWeights& at) const {
    FitValue result{penalty(at), Numbers(features_ * (1 + relations_), 0)};
    const std::vector<Curvature> of_relation = curvatures(at, true);
    for (std::size_t f = 0; f < features_; ++f) result.gradient[f] = kGlobalPenalty * at.global[f];
    for (std::size_t r = 0; r < relations_; ++r) {
      result.value += of_relation[r].value;
      for (std::size_t f = 0; f < features_; ++f) {
        const double slope = of_relation[r].gradient[f];
        result.gradient[f] += slope;
        result.gradient[(1 + r) * features_ + f] = slope + fit_.shrinkage * at.offsets[r * features_ + f];
      }
    }
    return result;
  }

 private:
  struct Piece {
    std::size_t relation, begin, end;  // queries by order_
  };

  bool held(std::size_t feature) const {
    const auto f = static_cast<std::int32_t>(feature);
    return f >= fit_.without_first && f < fit_.without_last;
  }

  void find_scales() {
    scales_.assign(features_, 0);
    for (std::size_t c = 0; c < table_.num_candidates(); ++c) {
      const auto features = table_.features(c);
      for (std::size_t f = 0; f < features_; ++f) scales_[f] += double{features[f]} * features[f];
    }
    for (double& scale : scales_) {
      scale = std::sqrt(scale / std::max<double>(1, static_cast<double>(table_.num_candidates())));
      if (scale == 0) scale = 1;
    }
  }

  void cut_into_pieces() {
    const auto queries = table_.queries();
    for (std::size_t q = 0; q < queries.size(); ++q) {
      if (queries[q].fold != fit_.without_fold) order_.push_back(q);
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return queries[a].relation < queries[b].relation; });
    for (std::size_t begin = 0, end; begin < order_.size(); begin = end) {
      const auto relation = static_cast<std::size_t>(queries[order_[begin]].relation);
      for (end = begin; end < order_.size() && end - begin < kQueriesOfAPiece; ++end) {
        if (static_cast<std::size_t>(queries[order_[end]].relation) != relation) break;
      }
      pieces_.push_back({relation, begin, end});
    }
  }

  double penalty(const FusionWeights& at) const {
    const auto squares = [](const Numbers& x) { return std::inner_product(x.begin(), x.end(), x.begin(), 0.0); };
    return fit_.shrinkage / 2 * squares(at.offsets) + kGlobalPenalty / 2 * squares(at.global);
  }

  std::vector<Curvature> curvatures(const FusionWeights& at, bool with_hessian) const {
    std::vector<Curvature> of_piece(pieces_.size(), Curvature(features_));
    parallel_for(pieces_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) add_piece(pieces_[p], at, with_hessian, of_piece[p]);
    });
    std::vector<Curvature> of_relation(relations_, Curvature(features_));
    for (std::size_t p = 0; p < pieces_.size(); ++p) of_relation[pieces_[p].relation].add(of_piece[p]);
    return of_relation;
  }

  void add_piece(const Piece& piece, const FusionWeights& at, bool with_hessian, Curvature& sum) const {
    Numbers weights(features_), logits;
    for (std::size_t f = 0; f < features_; ++f)
      weights[f] = held(f) ? 0 : at.of(static_cast<RelationId>(piece.relation), f) / scales_[f];
    for (std::size_t i = piece.begin; i < piece.end; ++i)
      add_query(table_.queries()[order_[i]], weights, with_hessian, logits, sum);
  }

  /// -log softmax, its gradient (mean of the features less the answer's) and Hessian (their covariance).
  void add_query(const FitTable::Query& query, const Numbers& weights, bool with_hessian, Numbers& logits,
                 Curvature& sum) const {
    logits.clear();
    for (std::uint64_t c = query.begin; c < query.end; ++c) {
      const auto features = table_.features(c);
      double logit = table_.log_count(c);
      for (std::size_t f = 0; f < features_; ++f) logit += weights[f] * features[f];
      logits.push_back(logit);
    }
    const double most = *std::max_element(logits.begin(), logits.end());
    double total = 0;
    for (const double logit : logits) total += std::exp(logit - most);
    sum.value += most + std::log(total) - logits[0];
    if (!with_hessian) return;
    Numbers mean(features_, 0), second(features_ * features_, 0), x(features_);
    for (std::uint64_t c = query.begin; c < query.end; ++c) {
      const double p = std::exp(logits[c - query.begin] - most) / total;
      if (p < 1e-12) continue;
      scaled_features(c, x);
      for (std::size_t f = 0; f < features_; ++f) {
        mean[f] += p * x[f];
        for (std::size_t g = 0; g <= f; ++g) second[f * features_ + g] += p * x[f] * x[g];
      }
    }
    scaled_features(query.begin, x);
    for (std::size_t f = 0; f < features_; ++f) {
      sum.gradient[f] += mean[f] - x[f];
      for (std::size_t g = 0; g <= f; ++g)
        sum.hessian[f * features_ + g] += second[f * features_ + g] - mean[f] * mean[g];
    }
  }

  void scaled_features(std::uint64_t candidate, Numbers& x) const {
    const auto features = table_.features(candidate);
    for (std::size_t f = 0; f < features_; ++f) x[f] = held(f) ? 0 : features[f] / scales_[f];
  }

  /// With H and G of each relation: (H_r + shrinkage) o_r + H_r g = -(G_r + shrinkage offsets_r), and the sum over
  /// relations for g. The o_r are eliminated first.
  FusionWeights newton_direction(const FusionWeights& at, std::vector<Curvature> of_relation) const {
    const std::size_t n = features_;
    Numbers a(n * n, 0), b(n, 0);
    for (std::size_t f = 0; f < n; ++f) {
      a[f * n + f] = kGlobalPenalty;
      b[f] = -kGlobalPenalty * at.global[f];
    }
    std::vector<Numbers> solved(relations_);  // [1 + features, features]: for the gradient, and for each column of H
    for (std::size_t r = 0; r < relations_; ++r) {
      Curvature& of = of_relation[r];
      for (std::size_t f = 0; f < n; ++f) {
        for (std::size_t g = f + 1; g < n; ++g) of.hessian[f * n + g] = of.hessian[g * n + f];
      }
      for (std::size_t f = 0; f < n; ++f) b[f] -= of.gradient[f];
      for (std::size_t i = 0; i < n * n; ++i) a[i] += of.hessian[i];
      if (!fit_.by_relation) continue;
      solved[r] = solve_offsets(at, of, r);
      for (std::size_t f = 0; f < n; ++f) {
        for (std::size_t k = 0; k < n; ++k) {
          b[f] -= of.hessian[f * n + k] * solved[r][k];
          for (std::size_t g = 0; g < n; ++g) a[f * n + g] -= of.hessian[f * n + k] * solved[r][(1 + g) * n + k];
        }
      }
    }
    solve(a, n, b);
    FusionWeights direction{n, b, Numbers(relations_ * n, 0)};
    for (std::size_t r = 0; fit_.by_relation && r < relations_; ++r) {
      for (std::size_t k = 0; k < n; ++k) {
        double& offset = direction.offsets[r * n + k];
        offset = solved[r][k];
        for (std::size_t g = 0; g < n; ++g) offset -= solved[r][(1 + g) * n + k] * b[g];
      }
    }
    return direction;
  }

  Numbers solve_offsets(const FusionWeights& at, const Curvature& of, std::size_t r) const {
    const std::size_t n = features_;
    Numbers held_back = of.hessian, right((1 + n) * n);
    for (std::size_t f = 0; f < n; ++f) {
      held_back[f * n + f] += fit_.shrinkage;
      right[f] = -of.gradient[f] - fit_.shrinkage * at.offsets[r * n + f];
      for (std::size_t g = 0; g < n; ++g) right[(1 + g) * n + f] = of.hessian[f * n + g];
    }
    solve(std::move(held_back), n, right);
    return right;
  }

  const FitTable& table_;
  const WeightFit& fit_;
  std::size_t features_, relations_;
  Numbers scales_;
  std::vector<std::size_t> order_;
  std::vector<Piece> pieces_;
};

/// From weights of scaled features to those of the features, or back.
FusionWeights rescaled(FusionWeights weights, const Numbers& scales, bool back) {
  const auto factor = [&](std::size_t f) { return back ? scales[f % scales.size()] : 1 / scales[f % scales.size()]; };
  for (std::size_t f = 0; f < weights.global.size(); ++f) weights.global[f] *= factor(f);
  for (std::size_t f = 0; f < weights.offsets.size(); ++f) weights.offsets[f] *= factor(f);
  return weights;
}

}  // namespace

FusionWeights fit_weights(const FitTable& table, RelationId relations, const WeightFit& fit) {
  const Minimiser minimiser(table, relations, fit);
  FusionWeights at = minimiser.start();
  double value = minimiser.value(at);
  for (int i = 0; i < kMostSteps; ++i) {
    const double gained = minimiser.step(at, value);
    value -= gained;
    if (gained <= kSmallEnough * std::abs(value)) break;
  }
  return rescaled(std::move(at), minimiser.scales(), /*back=*/false);
}

FitValue fit_value(const FitTable& table, const FusionWeights& weights, const WeightFit& fit) {
  const auto relations = static_cast<RelationId>(weights.offsets.size() / weights.features);
  const Minimiser minimiser(table, relations, fit);
  FitValue result = minimiser.value_and_gradient(rescaled(weights, minimiser.scales(), /*back=*/true));
  for (std::size_t f = 0; f < result.gradient.size(); ++f)
    result.gradient[f] *= minimiser.scales()[f % weights.features];
  return result;
}

}  // namespace hasa
