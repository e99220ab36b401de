#ifdef HASA_DIST

#include <ATen/core/grad_mode.h>
#include <c10/util/Logging.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "hasa/base/log.h"
#include "hasa/dist/gloo_device.h"
#include "hasa/dist/job.h"
#include "hasa/dist/meeting.h"
#include "hasa/dist/pulse.h"

namespace hasa {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kJoiningFactor = 5;  // processes may come so many times later than they may be silent
constexpr auto kLook = milliseconds(500);

milliseconds in_milliseconds(double seconds) { return milliseconds(static_cast<std::int64_t>(seconds * 1000)); }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

c10::intrusive_ptr<c10d::Store> open_store(const JobPlace& place) {
  c10d::TCPStoreOptions options;
  options.port = place.port;
  options.isServer = place.rank == 0 && !place.store_is_there;
  options.waitWorkers = false;
  options.timeout = in_milliseconds(kJoiningFactor * place.silence);
  try {
    return c10::make_intrusive<c10d::TCPStore>(place.address, options);
  } catch (const std::exception& problem) {
    if (options.isServer) throw;
    fail(ErrorKind::unavailable, "{} does not answer: {}",
         place.store_is_there ? "the launcher's store" : "rank 0, which keeps the job's store,",
         first_line(problem.what()));
  }
}

/// Gloo's calls, on the CPU: tensors of other devices are copied there and back.
class C10dComm : public Comm {
 public:
  explicit C10dComm(const JobPlace& place) : place_(place), store_(open_store(place)) {
    const auto of = [](const std::string& prefix, const c10::intrusive_ptr<c10d::Store>& store) {
      return c10::make_intrusive<c10d::PrefixStore>(prefix, store);
    };
    const auto patience = in_milliseconds(kJoiningFactor * place.silence);
    const auto ours = of("hasa", store_);
    const std::string start = meet(*ours, place, patience);
    // The sign of life has a connection of its own.
    pulse_.emplace(of("hasa/" + start + "/pulse", store_->clone()), place);
    auto options = c10d::ProcessGroupGloo::Options::create(patience);
    options->devices.push_back(gloo_device(place));
    try {
      group_ = c10::make_intrusive<c10d::ProcessGroupGloo>(of(start + "/gloo", ours), place.rank, place.size, options);
    } catch (const std::exception&) {
      if (const auto trouble = pulse_->trouble()) fail(ErrorKind::unavailable, "{}", *trouble);
      throw;
    }
    group_->setTimeout(in_milliseconds(place.longest_wait));
  }

  ~C10dComm() override {
    if (!failed_) {
      pulse_->leave();
      return;
    }
    // Calls that will never be answered keep their threads.
    note_threads_left_behind();
    group_.release();
    store_.release();
  }

  int rank() const override { return place_.rank; }
  int size() const override { return place_.size; }
  int local_rank() const override { return place_.local_rank; }
  int local_size() const override { return std::max(1, place_.local_size); }
  std::int64_t bytes() const override { return bytes_; }
  std::int64_t calls() const override { return calls_; }

  using Comm::all_reduce;
  using Comm::broadcast;

  void all_reduce(torch::Tensor& tensor) override {
    on_host(tensor, [&](std::vector<at::Tensor>& tensors) { return group_->allreduce(tensors); });
  }

  std::unique_ptr<Started> start_all_reduce(const torch::Tensor& tensor) override {
    HASA_CHECK(tensor.is_cpu() && tensor.is_contiguous(), shape, "start_all_reduce: expected one block on the CPU");
    const at::NoGradGuard no_gradients;
    count(tensor);
    pulse_->entered_call();
    std::vector<at::Tensor> tensors{tensor.detach()};
    return std::make_unique<Running>(*this, group_->allreduce(tensors));
  }

  torch::Tensor all_gather(const torch::Tensor& own) override {
    const at::NoGradGuard no_gradients;
    std::vector<at::Tensor> inputs{own.detach().cpu().contiguous()};
    std::vector<std::vector<at::Tensor>> outputs(1);
    for (int r = 0; r < size(); ++r) outputs[0].push_back(torch::empty_like(inputs[0]));
    count(inputs[0]);
    call([&] { return group_->allgather(outputs, inputs); });
    return torch::stack(outputs[0]).to(own.device());
  }

  torch::Tensor reduce_scatter(const torch::Tensor& all) override {
    HASA_CHECK(all.dim() > 0 && all.size(0) == size(), shape, "reduce_scatter: expected a row for each of {} processes",
               size());
    torch::Tensor sum = all.detach().clone(torch::MemoryFormat::Contiguous);
    all_reduce(sum);
    return sum.select(0, rank());
  }

  torch::Tensor all_to_all(const torch::Tensor& rows, std::span<const std::int64_t> to_each,
                           std::span<const std::int64_t> from_each) override {
    const at::NoGradGuard no_gradients;
    const auto sum = [](std::span<const std::int64_t> counts) {
      return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    };
    HASA_CHECK(std::ssize(to_each) == size() && std::ssize(from_each) == size() && rows.dim() > 0 &&
                   rows.size(0) == sum(to_each),
               shape, "all_to_all: {} rows, other than the counts say", rows.dim() > 0 ? rows.size(0) : 0);
    std::vector<std::int64_t> shape = rows.sizes().vec(), to(to_each.begin(), to_each.end()),
                              from(from_each.begin(), from_each.end());
    shape[0] = sum(from_each);
    // As bytes, which Gloo has for rows of any type.
    const std::int64_t width = c10::multiply_integers(rows.sizes().slice(1)) * rows.element_size();
    const torch::Tensor given = rows.detach().cpu().contiguous();
    torch::Tensor received = torch::empty(shape, given.options());
    torch::Tensor in = bytes_of(given, width), out = bytes_of(received, width);
    bytes_ += (given.size(0) - to[static_cast<std::size_t>(rank())]) * width;
    ++calls_;
    await([&] { return group_->alltoall_base(out, in, from, to); });
    return received.to(rows.device());
  }

  void broadcast(torch::Tensor& tensor, int root) override {
    c10d::BroadcastOptions options;
    options.rootRank = root;
    on_host(tensor, [&](std::vector<at::Tensor>& tensors) { return group_->broadcast(tensors, options); });
  }

  void barrier() override {
    torch::Tensor nothing = torch::zeros({1}, torch::kInt32);
    all_reduce(nothing);
  }

  void abandon(const std::string& reason) noexcept override {
    const bool known_to_others = failed_;
    failed_ = true;
    // The process that keeps the store takes it along: nobody could then learn who was lost.
    pulse_->abandon(!known_to_others || first() ? first_line(reason) : "");
  }

 private:
  void count(const torch::Tensor& tensor) {
    bytes_ += static_cast<std::int64_t>(tensor.nbytes());
    ++calls_;
  }

  /// [rows, width] of the same memory.
  static torch::Tensor bytes_of(const torch::Tensor& rows, std::int64_t width) {
    return torch::from_blob(rows.data_ptr(), {rows.size(0), width}, torch::kUInt8);
  }

  /// Calls with the tensor as it is, or with a copy on the host.
  template <class Start>
  void on_host(torch::Tensor& tensor, const Start& start) {
    const at::NoGradGuard no_gradients;
    const bool as_it_is = tensor.is_cpu() && tensor.is_contiguous();
    std::vector<at::Tensor> tensors{as_it_is ? tensor.detach() : tensor.detach().cpu().contiguous()};
    count(tensors[0]);
    call([&] { return start(tensors); });
    if (!as_it_is) tensor.copy_(tensors[0]);
  }

  class Running : public Started {
   public:
    Running(C10dComm& comm, c10::intrusive_ptr<c10d::Work> work) : comm_(comm), work_(std::move(work)) {}
    void wait() override {
      comm_.await([this] { return work_; });
    }

   private:
    C10dComm& comm_;
    c10::intrusive_ptr<c10d::Work> work_;
  };

  /// Starts a call and waits for it.
  template <class Start>
  void call(const Start& start) {
    pulse_->entered_call();
    await(start);
  }

  /// Waits for the work that is started, with an eye on the other processes.
  template <class Start>
  void await(const Start& start) {
    const auto began = Clock::now();
    try {
      const c10::intrusive_ptr<c10d::Work> work = start();
      for (;;) {
        try {
          work->wait(kLook);
          return;
        } catch (const std::exception&) {
          if (work->isCompleted()) throw;
        }
        if (const auto trouble = pulse_->trouble()) lost(*trouble);
        if (Clock::now() - began > in_milliseconds(place_.longest_wait)) lost(too_slow());
      }
    } catch (const Error&) {
      throw;
    } catch (const std::exception& problem) {
      // A connection broke. Whose end it was shows when its signs of life stay away.
      const auto limit = Clock::now() + in_milliseconds(place_.silence + 2);
      while (Clock::now() < limit) {
        if (const auto trouble = pulse_->trouble()) lost(*trouble);
        std::this_thread::sleep_for(milliseconds(50));
      }
      lost("a connection between processes broke, though all of them live: " + first_line(problem.what()));
    }
  }

  std::string too_slow() const {
    return pulse_->slowest() + " is alive, but the others have waited for it for " +
           std::to_string(static_cast<std::int64_t>(place_.longest_wait)) + " s";
  }

  [[noreturn]] void lost(const std::string& what) {
    failed_ = true;
    fail(ErrorKind::unavailable, "{}\nthe job cannot go on without it", what);
  }

  JobPlace place_;
  c10::intrusive_ptr<c10d::Store> store_;
  std::optional<Pulse> pulse_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
  std::int64_t bytes_ = 0, calls_ = 0;
  bool failed_ = false;
};

/// A process's way into the job, on a thread of its own: c10d waits without end for a store whose network was cut.
struct Joining {
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  std::unique_ptr<C10dComm> comm;
  std::exception_ptr problem;

  void join(const JobPlace& place) {
    std::unique_ptr<C10dComm> made;
    std::exception_ptr why;
    try {
      made = std::make_unique<C10dComm>(place);
    } catch (...) {
      why = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    comm = std::move(made);
    problem = why;
    over = true;
    changed.notify_all();
  }
};

std::unique_ptr<Comm> joined(const JobPlace& place) {
  const auto joining = std::make_shared<Joining>();
  std::thread([joining, place] { joining->join(place); }).detach();
  std::unique_lock lock(joining->mutex);
  const auto longest = in_milliseconds(kJoiningFactor * place.silence + 2);
  if (!joining->changed.wait_for(lock, longest, [&] { return joining->over; })) {
    note_threads_left_behind();
    fail(ErrorKind::unavailable, "{} no longer answers",
         place.store_is_there ? "the launcher's store" : "rank 0, which keeps the job's store,");
  }
  if (joining->problem) std::rethrow_exception(joining->problem);
  return std::move(joining->comm);
}

}  // namespace

std::unique_ptr<Comm> join_job(const JobPlace& place) {
  // What c10d logs, with its stack, is said in our words by whoever catches it.
  constexpr int kFatalAlone = 3;
  if (std::getenv("TORCH_CPP_LOG_LEVEL") == nullptr) FLAGS_caffe2_log_level = kFatalAlone;
  try {
    std::unique_ptr<Comm> comm = joined(place);
    log_info("{} processes have met at {}:{}", place.size, place.address, place.port);
    return comm;
  } catch (const std::exception& problem) {
    fail(ErrorKind::unavailable,
         "rank {} of {} did not meet the others at {}:{} within {:.0f} s: {}\nare all of them started, with the same "
         "MASTER_ADDR and MASTER_PORT, and does a firewall let them through?",
         place.rank, place.size, place.address, place.port, kJoiningFactor * place.silence, first_line(problem.what()));
  }
}

}  // namespace hasa

#endif
