#include "hasa/dist/comm.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "hasa/base/error.h"

namespace hasa {
namespace {

class OneProcess : public Comm {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  int local_rank() const override { return 0; }
  int local_size() const override { return 1; }
  void all_reduce(torch::Tensor&) override {}
  std::unique_ptr<Started> start_all_reduce(const torch::Tensor&) override {
    struct Done : Started {
      void wait() override {}
    };
    return std::make_unique<Done>();
  }
  torch::Tensor all_gather(const torch::Tensor& own) override { return own.unsqueeze(0); }
  torch::Tensor reduce_scatter(const torch::Tensor& all) override { return all.select(0, 0); }
  torch::Tensor all_to_all(const torch::Tensor& rows, std::span<const std::int64_t>,
                           std::span<const std::int64_t>) override {
    return rows;
  }
  void broadcast(torch::Tensor&, int) override {}
  void barrier() override {}
  void abandon(const std::string&) noexcept override {}
  std::int64_t bytes() const override { return 0; }
  std::int64_t calls() const override { return 0; }
};

}  // namespace

Comm& one_process() {
  static OneProcess instance;
  return instance;
}

RowShare Comm::share_of(std::int64_t rows, int rank, int size) {
  const std::int64_t each = rows / size, more = rows % size;
  return {rank * each + std::min<std::int64_t>(rank, more), each + (rank < more ? 1 : 0)};
}

torch::Tensor Comm::gather_rows(const torch::Tensor& own, std::span<const std::int64_t> counts) {
  HASA_CHECK(std::ssize(counts) == size() && own.dim() > 0 && own.size(0) == counts[static_cast<std::size_t>(rank())],
             shape, "gather_rows: rank {} has other rows than the counts say", rank());
  if (alone()) return own;
  const at::NoGradGuard no_gradients;
  const std::int64_t most = *std::ranges::max_element(counts);
  std::vector<std::int64_t> shape = own.sizes().vec();
  shape[0] = most;
  // Processes exchange tensors of one shape: rows that fill them up are taken off again.
  torch::Tensor padded = own.contiguous();
  if (own.size(0) < most) {
    padded = torch::zeros(shape, own.options().requires_grad(false));
    padded.narrow(0, 0, own.size(0)).copy_(own);
  }
  const torch::Tensor all = all_gather(padded);
  std::vector<torch::Tensor> parts;
  for (std::size_t r = 0; r < counts.size(); ++r)
    parts.push_back(all.select(0, static_cast<std::int64_t>(r)).narrow(0, 0, counts[r]));
  return torch::cat(parts);
}

torch::Tensor Comm::gather_shares(const torch::Tensor& own, std::int64_t rows) {
  std::vector<std::int64_t> counts;
  for (int r = 0; r < size(); ++r) counts.push_back(share_of(rows, r, size()).count);
  return gather_rows(own, counts);
}

torch::Tensor Comm::sum_shares(const torch::Tensor& rows) {
  if (alone()) return rows;
  const std::int64_t own = share_of(rows.size(0)).count;
  std::vector<std::int64_t> to_each;
  for (int r = 0; r < size(); ++r) to_each.push_back(share_of(rows.size(0), r, size()).count);
  const torch::Tensor parts = all_to_all(rows, to_each, std::vector<std::int64_t>(to_each.size(), own));
  torch::Tensor sum = parts.narrow(0, 0, own).clone();
  for (int r = 1; r < size(); ++r) sum.add_(parts.narrow(0, r * own, own));
  return sum;
}

void Comm::all_reduce(std::span<const torch::Tensor> tensors) {
  if (alone()) return;
  const at::NoGradGuard no_gradients;
  std::map<std::pair<std::string, torch::ScalarType>, std::vector<torch::Tensor>> kinds;
  for (const torch::Tensor& tensor : tensors)
    if (tensor.defined()) kinds[{tensor.device().str(), tensor.scalar_type()}].push_back(tensor);
  for (const auto& [kind, list] : kinds) {
    std::vector<torch::Tensor> flat;
    for (const torch::Tensor& tensor : list) flat.push_back(tensor.reshape({-1}));
    torch::Tensor sum = torch::cat(flat);
    all_reduce(sum);
    std::int64_t first = 0;
    for (const torch::Tensor& tensor : list) {
      tensor.copy_(sum.narrow(0, first, tensor.numel()).view(tensor.sizes()));
      first += tensor.numel();
    }
  }
}

bool Comm::any(bool here) {
  if (alone()) return here;
  torch::Tensor count = torch::full({1}, here ? 1 : 0, torch::kInt32);
  all_reduce(count);
  return count.item<std::int32_t>() > 0;
}

std::string Comm::broadcast(const std::string& text) {
  if (alone()) return text;
  torch::Tensor length = torch::full({1}, static_cast<std::int64_t>(text.size()), torch::kInt64);
  broadcast(length, 0);
  torch::Tensor bytes = torch::zeros({length.item<std::int64_t>()}, torch::kUInt8);
  if (first()) std::memcpy(bytes.data_ptr(), text.data(), text.size());
  if (bytes.numel() > 0) broadcast(bytes, 0);
  return {static_cast<const char*>(bytes.data_ptr()), static_cast<std::size_t>(bytes.numel())};
}

}  // namespace hasa
