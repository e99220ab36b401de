#include "hasa/train/gradient_reduction.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <utility>

namespace hasa {

/// Called by autograd when it has added to a parameter's gradient.
class GradientReduction::Completed : public torch::autograd::PostAccumulateGradHook {
 public:
  Completed(GradientReduction& reduction, std::size_t parameter) : reduction_(reduction), parameter_(parameter) {}
  void operator()(const torch::autograd::Variable&) override {
    if (reduction_.last_pass_ && reduction_.parameters_[parameter_].in_parts) reduction_.completed(parameter_);
  }

 private:
  GradientReduction& reduction_;
  std::size_t parameter_;
};

GradientReduction::GradientReduction(std::vector<ReducedParameter> parameters, Comm& comm, std::int64_t bucket_bytes)
    : parameters_(std::move(parameters)), comm_(comm), bucket_of_(parameters_.size()), expected_(parameters_.size()) {
  std::int64_t bytes = 0;
  for (std::size_t i = parameters_.size(); i-- > 0;) {
    const torch::Tensor& tensor = parameters_[i].tensor;
    const auto size = static_cast<std::int64_t>(tensor.nbytes());
    const bool fits = !buckets_.empty() && bytes + size <= bucket_bytes &&
                      parameters_[buckets_.back().members[0]].tensor.options().type_equal(tensor.options());
    if (!fits) {
      buckets_.emplace_back();
      bytes = 0;
    }
    bytes += size;
    bucket_of_[i] = buckets_.size() - 1;
    buckets_.back().members.push_back(i);
    if (tensor.requires_grad() && tensor.is_cpu())
      torch::autograd::impl::set_post_acc_grad_hooks(tensor, std::make_unique<Completed>(*this, i));
  }
}

GradientReduction::~GradientReduction() {
  for (const ReducedParameter& each : parameters_)
    if (each.tensor.requires_grad() && each.tensor.is_cpu())
      torch::autograd::impl::set_post_acc_grad_hooks(each.tensor, nullptr);
}

void GradientReduction::last_pass_begins() {
  if (std::ranges::find(expected_, true) == expected_.end()) return;  // the first step shows which there are
  last_pass_ = true;
  for (Bucket& bucket : buckets_)
    bucket.missing =
        static_cast<std::size_t>(std::ranges::count_if(bucket.members, [&](std::size_t i) { return expected_[i]; }));
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (!parameters_[i].in_parts && parameters_[i].tensor.grad().defined()) completed(i);
}

void GradientReduction::completed(std::size_t parameter) {
  if (!expected_[parameter]) return;
  --buckets_[bucket_of_[parameter]].missing;
  while (next_ < buckets_.size() && buckets_[next_].missing == 0) send(buckets_[next_++]);
}

void GradientReduction::send(Bucket& bucket) {
  const at::NoGradGuard no_gradients;
  std::vector<torch::Tensor> flat;
  bucket.gradients.clear();
  for (const std::size_t i : bucket.members) {
    const torch::Tensor& gradient = parameters_[i].tensor.grad();
    if (!gradient.defined()) continue;
    bucket.gradients.push_back(gradient);
    const bool counts = comm_.first() || parameters_[i].in_parts;
    flat.push_back(counts ? gradient.reshape({-1}) : torch::zeros({gradient.numel()}, gradient.options()));
  }
  if (flat.empty()) return;
  bucket.sum = at::cat(flat);
  if (bucket.sum.is_cpu()) {
    bucket.call = comm_.start_all_reduce(bucket.sum);
  } else {
    comm_.all_reduce(bucket.sum);
  }
}

void GradientReduction::receive(Bucket& bucket) {
  if (bucket.call) bucket.call->wait();
  std::int64_t first = 0;
  for (const torch::Tensor& gradient : bucket.gradients) {
    gradient.copy_(bucket.sum.narrow(0, first, gradient.numel()).view(gradient.sizes()));
    first += gradient.numel();
  }
  bucket.call.reset();
  bucket.gradients.clear();
  bucket.sum = torch::Tensor();
}

std::size_t GradientReduction::gradients_of(const Bucket& bucket) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(bucket.members, [&](std::size_t i) { return parameters_[i].tensor.grad().defined(); }));
}

void GradientReduction::finish() {
  const at::NoGradGuard no_gradients;
  last_pass_ = false;
  const std::size_t sent = std::exchange(next_, 0);
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    Bucket& bucket = buckets_[i];
    if (i < sent && bucket.gradients.size() == gradients_of(bucket)) continue;
    // One that no step before had came after its bucket was sent.
    if (i < sent && bucket.call) bucket.call->wait();
    send(bucket);
  }
  for (Bucket& bucket : buckets_) receive(bucket);
  for (std::size_t i = 0; i < parameters_.size(); ++i) expected_[i] = parameters_[i].tensor.grad().defined();
}

}  // namespace hasa
