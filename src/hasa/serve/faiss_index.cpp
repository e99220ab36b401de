#include "hasa/serve/faiss_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/file.h"

#ifdef HASA_FAISS
#include <faiss/IndexFlat.h>
#include <faiss/IndexHNSW.h>
#include <faiss/IndexIVFFlat.h>
#include <faiss/IndexScalarQuantizer.h>
#include <faiss/impl/io.h>
#include <faiss/index_io.h>
#endif

namespace hasa {

double tune(FaissIndex& index, const torch::Tensor& queries, const Nearest& exact, double wanted) {
  for (std::int64_t effort = 1;; effort *= 2) {
    index.set_effort(std::min(effort, index.most_effort()));
    const double reached = recall(index.nearest(queries, exact.entities.size(1)), exact);
    if (reached >= wanted || effort >= index.most_effort()) return reached;
  }
}

#ifdef HASA_FAISS

namespace {

constexpr int kClusterRounds = 10, kPointsOfACluster = 64;
constexpr int kCandidatesWhileBuilding = 100;  // of HNSW

faiss::MetricType metric_of(Similarity similarity) {
  if (similarity == Similarity::dot) return faiss::METRIC_INNER_PRODUCT;
  HASA_CHECK(similarity == Similarity::negative_l2, config,
             "a FAISS index compares by dot product or L2 distance, not by {}\nask without an index: every entity is "
             "then compared",
             to_string(similarity));
  return faiss::METRIC_L2;
}

faiss::ScalarQuantizer::QuantizerType quantizer_of(VectorPrecision precision) {
  return precision == VectorPrecision::f16 ? faiss::ScalarQuantizer::QT_fp16 : faiss::ScalarQuantizer::QT_8bit;
}

std::unique_ptr<faiss::Index> new_ivf(const FaissOptions& options, std::size_t dim, std::int64_t entities,
                                      faiss::MetricType metric) {
  const auto square_root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(entities)));
  const std::int64_t wanted = options.lists > 0 ? options.lists : 4 * square_root;
  const auto lists = static_cast<std::size_t>(std::clamp<std::int64_t>(wanted, 1, entities));
  auto quantizer = std::make_unique<faiss::IndexFlat>(static_cast<faiss::Index::idx_t>(dim), metric);
  std::unique_ptr<faiss::IndexIVF> index;
  if (options.precision == VectorPrecision::f32) {
    index = std::make_unique<faiss::IndexIVFFlat>(quantizer.get(), dim, lists, metric);
  } else {
    index = std::make_unique<faiss::IndexIVFScalarQuantizer>(quantizer.get(), dim, lists,
                                                             quantizer_of(options.precision), metric);
  }
  quantizer.release();  // the index deletes it
  index->own_fields = true;
  index->cp.niter = kClusterRounds;
  index->cp.seed = static_cast<int>(options.seed);
  index->cp.max_points_per_centroid = kPointsOfACluster;
  index->cp.min_points_per_centroid = 1;
  return index;
}

std::unique_ptr<faiss::Index> new_hnsw(const FaissOptions& options, std::size_t dim, faiss::MetricType metric) {
  const auto d = static_cast<int>(dim), links = static_cast<int>(options.links);
  std::unique_ptr<faiss::IndexHNSW> index;
  if (options.precision == VectorPrecision::f32) {
    index = std::make_unique<faiss::IndexHNSWFlat>(d, links, metric);
  } else {
    index = std::make_unique<faiss::IndexHNSWSQ>(d, quantizer_of(options.precision), links, metric);
  }
  index->hnsw.efConstruction = kCandidatesWhileBuilding;
  return index;
}

/// Writes through the file that appears whole or not at all.
struct AtomicFileWriter : faiss::IOWriter {
  explicit AtomicFileWriter(AtomicFile& to) : file(to) {}
  std::size_t operator()(const void* data, std::size_t size, std::size_t count) override {
    file.write(data, size * count);
    return count;
  }
  AtomicFile& file;
};

class FaissIndexOf : public FaissIndex {
 public:
  explicit FaissIndexOf(std::unique_ptr<faiss::Index> index)
      : index_(std::move(index)),
        ivf_(dynamic_cast<faiss::IndexIVF*>(index_.get())),
        hnsw_(dynamic_cast<faiss::IndexHNSW*>(index_.get())) {
    HASA_CHECK(ivf_ != nullptr || hnsw_ != nullptr, data, "this FAISS index is neither IVF nor HNSW");
  }

  std::int64_t size() const override { return index_->ntotal; }
  std::int64_t dim() const override { return index_->d; }
  std::int64_t effort() const override {
    return ivf_ != nullptr ? static_cast<std::int64_t>(ivf_->nprobe) : hnsw_->hnsw.efSearch;
  }
  std::int64_t most_effort() const override { return ivf_ != nullptr ? static_cast<std::int64_t>(ivf_->nlist) : size(); }
  void set_effort(std::int64_t effort) override {
    const std::int64_t within = std::clamp<std::int64_t>(effort, 1, std::max<std::int64_t>(1, most_effort()));
    if (ivf_ != nullptr) ivf_->nprobe = static_cast<std::size_t>(within);
    if (hnsw_ != nullptr) hnsw_->hnsw.efSearch = static_cast<int>(within);
  }

  void save(const std::filesystem::path& path) const override {
    AtomicFile file(path);
    AtomicFileWriter writer(file);
    faiss::write_index(index_.get(), &writer);
    file.commit();
  }

  Nearest nearest(const torch::Tensor& queries_in, std::int64_t k) const override {
    HASA_CHECK(queries_in.dim() == 2 && queries_in.size(1) == dim(), shape, "queries of an index of {} dimensions",
               dim());
    const torch::Tensor queries = queries_in.to(torch::kCPU, torch::kFloat32).contiguous();
    Nearest found{torch::full({queries.size(0), k}, -1, torch::kInt64), torch::empty({queries.size(0), k})};
    if (found.entities.numel() == 0) return found;
    index_->search(queries.size(0), queries.const_data_ptr<float>(), k, found.scores.data_ptr<float>(),
                   found.entities.data_ptr<std::int64_t>());
    if (index_->metric_type == faiss::METRIC_L2) found.scores = found.scores.clamp_min_(0).sqrt_().neg_();
    for (std::int64_t row = 0; row < queries.size(0); ++row)
      order(found.entities.data_ptr<std::int64_t>() + row * k, found.scores.data_ptr<float>() + row * k, k);
    return found;
  }

 private:
  /// Of equal scores the smaller id first, and what was not found without a score.
  static void order(std::int64_t* entities, float* scores, std::int64_t k) {
    std::vector<std::pair<float, std::int64_t>> found;
    for (std::int64_t i = 0; i < k; ++i) {
      if (entities[i] >= 0) found.emplace_back(-scores[i], entities[i]);
    }
    std::sort(found.begin(), found.end());
    for (std::int64_t i = 0; i < k; ++i) {
      const bool some = i < std::ssize(found);
      entities[i] = some ? found[static_cast<std::size_t>(i)].second : -1;
      scores[i] = some ? -found[static_cast<std::size_t>(i)].first : std::numeric_limits<float>::quiet_NaN();
    }
  }

  std::unique_ptr<faiss::Index> index_;
  faiss::IndexIVF* ivf_;    // index_, where it is one
  faiss::IndexHNSW* hnsw_;  // likewise
};

}  // namespace

bool FaissIndex::is_built_in() { return true; }

std::unique_ptr<FaissIndex> FaissIndex::build(const torch::Tensor& entities_in, Similarity similarity,
                                              const FaissOptions& options) {
  const faiss::MetricType metric = metric_of(similarity);
  const torch::Tensor entities = entities_in.to(torch::kCPU, torch::kFloat32).contiguous();
  HASA_CHECK(entities.dim() == 2 && entities.size(0) > 0 && entities.size(1) > 0, shape,
             "an index takes vectors [entities, dim], of one entity at least");
  const auto dim = static_cast<std::size_t>(entities.size(1));
  std::unique_ptr<faiss::Index> index = options.kind == IndexKind::ivf
                                            ? new_ivf(options, dim, entities.size(0), metric)
                                            : new_hnsw(options, dim, metric);
  const auto* values = entities.const_data_ptr<float>();
  index->train(entities.size(0), values);
  index->add(entities.size(0), values);
  return std::make_unique<FaissIndexOf>(std::move(index));
}

std::unique_ptr<FaissIndex> FaissIndex::open(const std::filesystem::path& file) {
  HASA_CHECK(std::filesystem::is_regular_file(file), data, "there is no index {}", file.string());
  try {
    std::unique_ptr<faiss::Index> index(faiss::read_index(file.c_str(), faiss::IO_FLAG_MMAP));
    return std::make_unique<FaissIndexOf>(std::move(index));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& problem) {
    fail(ErrorKind::data, "{} is no index that FAISS can read: {}", file.string(), problem.what());
  }
}

#else

namespace {

[[noreturn]] void fail_without_faiss() {
  fail(ErrorKind::unavailable,
       "this hasa was built without FAISS\ninstall libfaiss-dev, and configure with -DHASA_FAISS=ON");
}

}  // namespace

bool FaissIndex::is_built_in() { return false; }
std::unique_ptr<FaissIndex> FaissIndex::build(const torch::Tensor&, Similarity, const FaissOptions&) {
  fail_without_faiss();
}
std::unique_ptr<FaissIndex> FaissIndex::open(const std::filesystem::path&) { fail_without_faiss(); }

#endif

}  // namespace hasa
