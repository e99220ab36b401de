#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "hasa/dist/comm.h"
#include "hasa/nn/parameter.h"

namespace hasa {

/// A parameter whose gradient the processes sum.
struct ReducedParameter {
  torch::Tensor tensor;
  bool in_parts = true;  // each process has a part of the gradient; else each has all of it, and rank 0's counts
};

/// Sums the gradients of several processes, in buckets of which each is on its way while the backward pass goes on to
/// the next. What is in a bucket, and so every bit of the sum, depends on the parameters alone and not on time.
class GradientReduction {
 public:
  static constexpr std::int64_t kBucketBytes = std::int64_t{4} << 20;

  /// Parameters in the order of the forward pass: buckets are filled, and sent, from the last one to the first.
  GradientReduction(std::vector<ReducedParameter> parameters, Comm& comm, std::int64_t bucket_bytes = kBucketBytes);
  ~GradientReduction();
  GradientReduction(const GradientReduction&) = delete;
  GradientReduction& operator=(const GradientReduction&) = delete;

  /// The backward pass that follows is the step's last: a gradient in parts is complete once it has been added to, and
  /// the others are complete already. Buckets are sent from here on when the gradients have come that were there in the
  /// last step; without this call nothing is sent before finish(). On the CPU alone.
  void last_pass_begins();
  /// Sends what was not sent yet, and returns when all gradients that are there are the sums.
  void finish();

 private:
  class Completed;
  struct Bucket {
    std::vector<std::size_t> members;  // places in parameters_
    std::size_t missing = 0;           // expected members whose gradient is not complete
    std::vector<torch::Tensor> gradients;
    torch::Tensor sum;  // all of them in one block
    std::unique_ptr<Comm::Started> call;
  };

  void completed(std::size_t parameter);
  void send(Bucket& bucket);
  /// Waits for the sums and puts them where the gradients are.
  void receive(Bucket& bucket);
  std::size_t gradients_of(const Bucket& bucket) const;

  std::vector<ReducedParameter> parameters_;
  Comm& comm_;
  std::vector<Bucket> buckets_;
  std::vector<std::size_t> bucket_of_;  // of each parameter
  std::vector<bool> expected_;          // which parameters had a gradient in the last step
  std::size_t next_ = 0;                // bucket to be sent: all processes send them in one order
  bool last_pass_ = false;
};

}  // namespace hasa
