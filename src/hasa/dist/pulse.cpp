#ifdef HASA_DIST

#include "hasa/dist/pulse.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "hasa/base/error.h"
#include "hasa/base/number_in.h"
#include "hasa/dist/job.h"

namespace hasa {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double kLongestBeat = 1;     // seconds between two signs of life
constexpr double kLongestParting = 5;  // seconds that the keeper of the store waits for those who leave in good order

std::string host_and_pid() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) name[0] = '?';
  return fmt::format("{}, pid {}", name.data(), ::getpid());
}

std::vector<std::string> keys_of(const char* kind, int size) {
  std::vector<std::string> keys;
  for (int rank = 0; rank < size; ++rank) keys.push_back(fmt::format("{}/{}", kind, rank));
  return keys;
}

std::string text_of(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

std::int64_t calls_in(const std::string& beat) {
  return number_in<std::int64_t>(std::string_view(beat).substr(beat.find(' ') + 1)).value_or(0);
}

/// Waits for everybody.
std::vector<std::vector<std::uint8_t>> names_of_all(c10d::Store& store, const JobPlace& place) {
  try {
    return store.multiGet(keys_of("who", place.size));
  } catch (const std::exception&) {
    for (int rank = 0; rank < place.size; ++rank)
      HASA_CHECK(store.check({fmt::format("who/{}", rank)}), unavailable, "rank {} was lost again", rank);
    throw;
  }
}

}  // namespace

struct Pulse::State {
  c10::intrusive_ptr<c10d::Store> store;
  JobPlace place;
  std::atomic<std::int64_t> calls = 0;

  mutable std::mutex mutex;
  std::condition_variable ending_changed;
  bool ending = false, ended = false;
  std::vector<std::string> names;        // "rank 2 (host, pid 17)"
  std::vector<std::string> beats;        // as last seen
  std::vector<Clock::time_point> heard;  // when each changed last
  Clock::time_point answered;            // when the store answered last
  bool store_lost = false;
  std::string failure;  // what a process told before it ended

  bool keeps_store() const { return place.rank == 0 && !place.store_is_there; }
  std::string store_words() const {
    const std::string where = fmt::format("the job's store at {}:{}", place.address, place.port);
    return place.store_is_there ? where
                                : fmt::format("{}, which keeps {},", names.empty() ? "rank 0" : names[0], where);
  }

  /// One round: this process's sign of life, then everybody's.
  void beat(std::int64_t number) {
    store->set(fmt::format("beat/{}", place.rank), fmt::format("{} {}", number, calls.load()));
    const auto all = store->multiGet(keys_of("beat", place.size));
    std::string told;
    if (store->check({"failure"})) {
      told = store->get_to_str("failure");
      store->set(fmt::format("heard/{}", place.rank), "");
    }
    const std::lock_guard lock(mutex);
    answered = Clock::now();
    failure = std::move(told);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      std::string value = text_of(all[rank]);
      if (value == beats[rank]) continue;
      beats[rank] = std::move(value);
      heard[rank] = answered;
    }
  }

  void work() {
    const Seconds pause(std::min(kLongestBeat, place.silence / 10));
    for (std::int64_t number = 1;; ++number) {
      try {
        beat(number);
      } catch (const std::exception&) {
        const std::lock_guard lock(mutex);
        if (!ending) store_lost = true;
      }
      std::unique_lock lock(mutex);
      if (store_lost || ending_changed.wait_for(lock, pause, [this] { return ending; })) break;
    }
    const std::lock_guard lock(mutex);
    ended = true;
    ending_changed.notify_all();
  }

  /// What the others that still show signs of life will set.
  std::vector<std::string> keys_of_the_living(const char* kind) const {
    const std::lock_guard lock(mutex);
    std::vector<std::string> keys;
    for (int rank = 0; rank < place.size; ++rank) {
      const Seconds silent = Clock::now() - heard[static_cast<std::size_t>(rank)];
      if (rank != place.rank && silent.count() <= place.silence) keys.push_back(fmt::format("{}/{}", kind, rank));
    }
    return keys;
  }

  /// Waits until the store has all the keys, for so many seconds at most.
  void wait_for(const std::vector<std::string>& keys, double longest) {
    if (keys.empty()) return;
    const auto limit = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(longest));
    while (!store->check(keys) && Clock::now() < limit) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
};

Pulse::Pulse(c10::intrusive_ptr<c10d::Store> store, const JobPlace& place) : state_(std::make_shared<State>()) {
  State& state = *state_;
  state.store = std::move(store);
  state.place = place;
  const auto size = static_cast<std::size_t>(place.size);
  state.store->set(fmt::format("who/{}", place.rank), host_and_pid());
  state.store->set(fmt::format("beat/{}", place.rank), "0 0");
  const auto who = names_of_all(*state.store, place);
  for (std::size_t rank = 0; rank < size; ++rank)
    state.names.push_back(fmt::format("rank {} ({})", rank, text_of(who[rank])));
  state.beats.resize(size);
  state.heard.assign(size, Clock::now());
  state.answered = Clock::now();
  std::thread([kept = state_] { kept->work(); }).detach();
}

Pulse::~Pulse() {
  std::unique_lock lock(state_->mutex);
  state_->ending = true;
  state_->ending_changed.notify_all();
  if (!state_->ending_changed.wait_for(lock, std::chrono::seconds(2), [this] { return state_->ended; }))
    note_threads_left_behind();
}

void Pulse::entered_call() { ++state_->calls; }

std::optional<std::string> Pulse::trouble() const {
  const State& state = *state_;
  const std::lock_guard lock(state.mutex);
  if (!state.failure.empty()) return state.failure;
  const auto now = Clock::now();
  const auto silent = [&](Clock::time_point since) { return Seconds(now - since).count(); };
  if (state.store_lost) return fmt::format("{} is gone: it no longer answers", state.store_words());
  if (silent(state.answered) > state.place.silence)
    return fmt::format("{} has not answered for {:.0f} s", state.store_words(), silent(state.answered));
  const auto quietest = std::ranges::min_element(state.heard);
  if (silent(*quietest) <= state.place.silence) return std::nullopt;
  return fmt::format("{} has not been heard from for {:.0f} s: it died, hangs, or has lost its network",
                     state.names[static_cast<std::size_t>(quietest - state.heard.begin())], silent(*quietest));
}

std::string Pulse::slowest() const {
  const State& state = *state_;
  const std::lock_guard lock(state.mutex);
  const auto least = std::ranges::min_element(state.beats, {}, calls_in);
  return state.names[static_cast<std::size_t>(least - state.beats.begin())];
}

void Pulse::abandon(const std::string& reason) noexcept {
  State& state = *state_;
  try {
    {
      const std::lock_guard lock(state.mutex);
      // The process that keeps the store always reaches it, however late its own signs of life are.
      const Seconds unanswered = Clock::now() - state.answered;
      if (state.store_lost || (!state.keeps_store() && unanswered.count() > 2 * kLongestBeat + 1)) return;
    }
    if (!reason.empty()) {
      const std::string words =
          fmt::format("{} stopped: {}", state.names[static_cast<std::size_t>(state.place.rank)], reason);
      state.store->compareSet("failure", std::vector<std::uint8_t>(), {words.begin(), words.end()});
    }
    state.store->set(fmt::format("heard/{}", state.place.rank), "");  // nobody needs to wait for this one
    // Whoever still lives hears of it at its next sign of life.
    if (state.keeps_store()) state.wait_for(state.keys_of_the_living("heard"), state.place.silence + kLongestParting);
  } catch (const std::exception&) {  // the others notice by themselves
  }
}

void Pulse::leave() noexcept {
  State& state = *state_;
  try {
    state.store->set(fmt::format("left/{}", state.place.rank), "");
    if (state.keeps_store()) state.wait_for(keys_of("left", state.place.size), kLongestParting);
  } catch (const std::exception&) {
  }
}

}  // namespace hasa

#endif
