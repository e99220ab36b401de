#pragma once

#include <torch/types.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace hasa {

/// Consecutive rows that one process takes care of.
struct RowShare {
  std::int64_t first = 0, count = 0;
};

/// The processes of a job, as one of them sees the others. Every process makes the same calls in the same order, from
/// one thread, with tensors of the same shapes; tensors may be on any device. A call that another process cannot answer
/// any more, because it died, hangs or lost its network, throws unavailable within a bounded time and names its rank.
class Comm {
 public:
  Comm() = default;
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;
  virtual ~Comm() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Among the processes of this machine: which of its devices is this one's.
  virtual int local_rank() const = 0;
  /// How many of them this machine has.
  virtual int local_size() const = 0;
  bool first() const { return rank() == 0; }
  bool alone() const { return size() == 1; }

  /// Each process's tensor becomes the sum of all, with the same bits everywhere.
  virtual void all_reduce(torch::Tensor& tensor) = 0;
  /// [size, ...]: every process's tensor, by rank.
  virtual torch::Tensor all_gather(const torch::Tensor& own) = 0;
  /// all [size, ...] -> [...]: the sum over the processes of what they have for this rank.
  virtual torch::Tensor reduce_scatter(const torch::Tensor& all) = 0;
  /// Rows [n, ...] for the processes, one after the other by rank, to_each[r] of them for rank r -> rows that they have
  /// for this one, likewise, from_each[r] of them from rank r. Every process knows the counts that concern it.
  virtual torch::Tensor all_to_all(const torch::Tensor& rows, std::span<const std::int64_t> to_each,
                                   std::span<const std::int64_t> from_each) = 0;
  /// Every process's tensor becomes that of `root`.
  virtual void broadcast(torch::Tensor& tensor, int root = 0) = 0;
  /// Returns when every process has called it.
  virtual void barrier() = 0;

  /// Tells the others why this process ends before its work is done. Never throws.
  virtual void abandon(const std::string& reason) noexcept = 0;
  /// Bytes that this process has given to the calls above so far (rows that all_to_all leaves here do not count), and
  /// how many calls there were.
  virtual std::int64_t bytes() const = 0;
  virtual std::int64_t calls() const = 0;

  /// A call that runs while its process goes on. wait() returns when it is answered, and throws as the others do.
  class Started {
   public:
    Started() = default;
    Started(const Started&) = delete;
    Started& operator=(const Started&) = delete;
    virtual ~Started() = default;
    virtual void wait() = 0;
  };
  /// Begins to all_reduce a contiguous tensor on the CPU, which must be left alone until wait() has returned.
  virtual std::unique_ptr<Started> start_all_reduce(const torch::Tensor& tensor) = 0;

  /// This process's part of so many rows: parts are consecutive, and differ by one row at most.
  RowShare share_of(std::int64_t rows) const { return share_of(rows, rank(), size()); }
  static RowShare share_of(std::int64_t rows, int rank, int size);

  /// Rows of all processes one after the other by rank; counts[r] is how many rank r has. own [counts[rank], ...].
  torch::Tensor gather_rows(const torch::Tensor& own, std::span<const std::int64_t> counts);
  /// The same where own are this process's rows of share_of(rows).
  torch::Tensor gather_shares(const torch::Tensor& own, std::int64_t rows);
  /// rows [n, ...] of every process -> the sums of this process's rows of share_of(n), added in the order of the ranks.
  torch::Tensor sum_shares(const torch::Tensor& rows);
  /// Sums the tensors that are defined, in one call for each of their kinds; they keep their storage.
  void all_reduce(std::span<const torch::Tensor> tensors);
  /// Whether any process says so.
  bool any(bool here);
  /// The text of rank 0.
  std::string broadcast(const std::string& text);
  /// The numbers of rank 0.
  template <class Number>
  std::vector<Number> broadcast(const std::vector<Number>& numbers) {
    if (alone()) return numbers;
    static_assert(std::is_arithmetic_v<Number>);
    const std::string bytes =
        broadcast(std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)));
    std::vector<Number> all(bytes.size() / sizeof(Number));
    std::memcpy(all.data(), bytes.data(), bytes.size());
    return all;
  }
};

/// A job of one process: every call returns at once.
Comm& one_process();

}  // namespace hasa
