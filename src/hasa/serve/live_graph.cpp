#include "hasa/serve/live_graph.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "hasa/base/log.h"
#include "hasa/serve/live_edit.h"
#include "hasa/serve/refusal.h"

namespace hasa {
namespace {

constexpr std::size_t kReadAtOnce = 4096;                        // entities of a journal
constexpr std::uint64_t kCompactFrom = std::uint64_t{4} << 20;   // bytes of a journal
constexpr std::int64_t kFirstRows = 256;

}  // namespace

/// Whoever comes first while nobody writes writes for all that came meanwhile.
class LiveGraph::Writer {
  /// What one call of apply() wants.
  struct Request {
    std::span<const Change> changes;
    std::vector<Applied> applied;
    std::exception_ptr error;
    bool done = false;
  };

  /// Rows that grow behind those that readers see, in the same memory while it suffices.
  class GrowingRows {
   public:
    /// `before` is what readers see last: the rows of the state, undefined if there are none. -> they and the new ones
    torch::Tensor append(const torch::Tensor& before, const torch::Tensor& rows) {
      const std::int64_t kept = before.defined() ? before.size(0) : 0;
      const std::int64_t size = kept + rows.size(0);
      const bool goes_on = before.defined() && memory_.defined() && before.data_ptr() == memory_.data_ptr();
      if (!goes_on || size > memory_.size(0)) {
        memory_ = torch::empty({std::max(kFirstRows, 2 * size), rows.size(1)}, rows.options());
        if (kept > 0) memory_.slice(0, 0, kept).copy_(before);
      }
      memory_.slice(0, kept, size).copy_(rows);
      return memory_.slice(0, 0, size);
    }
    void release() { memory_ = torch::Tensor(); }

   private:
    torch::Tensor memory_;
  };

 public:
  Writer(const Graph& graph, const KnownLinks& known, const std::filesystem::path& path, Journal::Access access,
         Reader reader)
      : reader_(std::move(reader)),
        edit_(LiveState(graph, known)),
        journal_(
            path, graph.content_hash(), access, [&](std::string_view record) { replay(record); },
            graph.lineage().ancestors()) {
    const std::vector<EntityId> entities = edit_->without_vector(false);
    if (!entities.empty() && reader_ == nullptr)
      log_warning("{} has {} entities that were added by their texts, but the run reads none: they cannot be answers",
                  path.string(), entities.size());
    if (reader_ != nullptr) {
      for (std::size_t i = 0; i < entities.size(); i += kReadAtOnce)
        read(*edit_, std::span(entities).subspan(i, std::min(kReadAtOnce, entities.size() - i)));
    }
    state_ = std::make_shared<const LiveState>(edit_->state());
    edit_.reset();
    compacted_bytes_ = 0;
    if (access == Journal::Access::write) compact_when_long();
  }
  ~Writer() {
    if (compacting_.joinable()) compacting_.join();
  }

  std::shared_ptr<const LiveState> state() const {
    const std::lock_guard lock(state_mutex_);
    return state_;
  }
  const Journal& journal() const { return journal_; }

  std::vector<Applied> apply(std::span<const Change> changes) {
    if (!journal_.is_writable())
      refuse(Refusal::Reason::conflict, "the run was opened to be read: it takes no changes");
    for (const Change& change : changes) {
      check_form(change);
      if (std::holds_alternative<PutEntity>(change) && reader_ == nullptr)
        refuse(Refusal::Reason::unreadable, "this run reads no texts, so it takes no entities, only triples");
    }
    Request request{changes, {}, nullptr, false};
    std::unique_lock lock(queue_mutex_);
    queue_.push_back(&request);
    free_.wait(lock, [&] { return request.done || !writing_; });
    if (!request.done) write_queue(lock);
    if (request.error) std::rethrow_exception(request.error);
    return std::move(request.applied);
  }

 private:
  void replay(std::string_view record) {
    try {
      edit_->apply(change_from(record));
    } catch (const Error& error) {
      fail(ErrorKind::data, "the journal of changes does not fit the graph: {}", error.what());
    }
  }

  void write_queue(std::unique_lock<std::mutex>& lock) {
    const std::vector<Request*> requests = std::exchange(queue_, {});
    writing_ = true;
    lock.unlock();
    write(requests);
    lock.lock();
    writing_ = false;
    for (Request* request : requests) request->done = true;
    free_.notify_all();
  }

  /// Together; where that fails, each by itself, so that none fails for another's sake.
  void write(std::span<Request* const> requests) {
    try {
      write_together(requests);
    } catch (...) {
      if (requests.size() == 1) {
        requests.front()->error = std::current_exception();
        return;
      }
      for (Request* request : requests) write({&request, 1});
    }
  }

  void write_together(std::span<Request* const> requests) {
    LiveEdit edit(*state());
    std::vector<std::string> records;
    for (Request* request : requests) add(*request, edit, records);
    if (records.empty()) return;
    std::vector<EntityId> unread = edit.without_vector(/*reads_facts=*/true);
    // Only then is the language model asked for.
    if (!unread.empty() && reader_ != nullptr && !reader_()->reads_facts()) unread = edit.without_vector(/*reads_facts=*/false);
    if (edit.is_mostly_unused()) {
      edit.pack_vectors();
      rows_.release();
    }
    if (reader_ != nullptr) read(edit, unread);
    journal_.append(records);
    {
      auto next = std::make_shared<const LiveState>(edit.state());
      const std::lock_guard lock(state_mutex_);
      state_.swap(next);
    }
    compact_when_long();
  }

  /// All changes of a request, or none and its error.
  static void add(Request& request, LiveEdit& edit, std::vector<std::string>& records) {
    const LiveEdit before = edit;
    const std::size_t records_before = records.size();
    request.applied.clear();
    request.error = nullptr;
    try {
      for (const Change& change : request.changes) {
        request.applied.push_back(edit.apply(change));
        if (request.applied.back().changed) records.push_back(to_record(change));
      }
    } catch (const Error&) {
      request.error = std::current_exception();
      edit = before;
      records.resize(records_before);
    }
  }

  void read(LiveEdit& edit, std::span<const EntityId> entities) {
    if (entities.empty()) return;
    const at::NoGradGuard no_gradients;
    std::vector<UnseenEntity> texts;
    texts.reserve(entities.size());
    for (const EntityId e : entities) texts.push_back(edit.state().as_unseen(e));
    edit.set_vectors(entities, rows_.append(edit.state().vectors(), reader_()->entity_vectors(texts)));
  }

  void compact_when_long() {
    const std::uint64_t bytes = journal_.bytes();
    if (bytes < kCompactFrom || bytes < 2 * compacted_bytes_ || compacting_now_.exchange(true)) return;
    if (compacting_.joinable()) compacting_.join();
    compacting_ = std::thread([this, bytes, state = state()] {
      try {
        journal_.compact(bytes, [&](const Journal::Take& put) {
          LiveEdit::for_each_change(*state, [&](const Change& change) { put(to_record(change)); });
        });
      } catch (const std::exception& error) {
        log_warning("{} stays as long as it is: {}", journal_.path().string(), error.what());
      }
      compacted_bytes_ = journal_.bytes();
      compacting_now_ = false;
    });
  }

  Reader reader_;
  std::optional<LiveEdit> edit_;  // while the journal is read
  Journal journal_;
  GrowingRows rows_;  // of whoever writes

  mutable std::mutex state_mutex_;
  std::shared_ptr<const LiveState> state_;

  std::mutex queue_mutex_;
  std::condition_variable free_;
  std::vector<Request*> queue_;
  bool writing_ = false;

  std::atomic<bool> compacting_now_ = false;
  std::atomic<std::uint64_t> compacted_bytes_ = 0;
  std::thread compacting_;
};

LiveGraph::LiveGraph(const Graph& graph, const KnownLinks& known, const std::filesystem::path& journal,
                     Journal::Access access, Reader reader)
    : writer_(std::make_unique<Writer>(graph, known, journal, access, std::move(reader))) {}

LiveGraph::~LiveGraph() = default;

std::shared_ptr<const LiveState> LiveGraph::state() const { return writer_->state(); }

std::vector<Applied> LiveGraph::apply(std::span<const Change> changes) { return writer_->apply(changes); }

bool LiveGraph::takes_changes() const { return writer_->journal().is_writable(); }

std::uint64_t LiveGraph::journal_bytes() const { return writer_->journal().bytes(); }

}  // namespace hasa
