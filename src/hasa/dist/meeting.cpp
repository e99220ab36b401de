#ifdef HASA_DIST

#include "hasa/dist/meeting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>
#include <thread>
#include <vector>

#include "hasa/base/error.h"

namespace hasa {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetweenLooks = std::chrono::milliseconds(20);

std::string drawn_name() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

// Rank 0 draws the name of the start. Every other rank draws a name of its own and leaves it at "hello/RANK", where it
// replaces that of an earlier start; rank 0 answers every name it finds there at "welcome/NAME" with the name of the
// start. Who was answered says so at "START/here/RANK", and when all have, rank 0 sets "START/complete".
std::string hello(int rank) { return fmt::format("hello/{}", rank); }
std::string welcome(const std::string& name) { return "welcome/" + name; }
std::string here(const std::string& start, int rank) { return fmt::format("{}/here/{}", start, rank); }
std::string complete(const std::string& start) { return start + "/complete"; }

std::vector<int> missing(c10d::Store& store, const std::string& start, const JobPlace& place) {
  std::vector<int> ranks;
  for (int rank = 1; rank < place.size; ++rank)
    if (rank != place.rank && !store.check({here(start, rank)})) ranks.push_back(rank);
  return ranks;
}

[[noreturn]] void fail_without(const std::vector<int>& ranks) {
  fail(ErrorKind::unavailable, "rank{} {} {} not come", ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "),
       ranks.size() == 1 ? "has" : "have");
}

void gather(c10d::Store& store, const std::string& start, const JobPlace& place, Clock::time_point limit) {
  std::vector<std::string> answered(static_cast<std::size_t>(place.size));
  for (;;) {
    const std::vector<int> absent = missing(store, start, place);
    if (absent.empty()) return;
    for (const int rank : absent) {
      if (!store.check({hello(rank)})) continue;
      std::string name = store.get_to_str(hello(rank));
      if (std::string& last = answered[static_cast<std::size_t>(rank)]; last != name) {
        store.set(welcome(name), start);
        last = std::move(name);
      }
    }
    if (Clock::now() > limit) fail_without(absent);
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

bool wait_for(c10d::Store& store, const std::string& key, Clock::time_point limit) {
  while (!store.check({key})) {
    if (Clock::now() > limit) return false;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return true;
}

std::string follow(c10d::Store& store, const JobPlace& place, Clock::time_point limit) {
  const std::string name = drawn_name();
  store.set(hello(place.rank), name);
  if (!wait_for(store, welcome(name), limit)) fail_without({0});
  const std::string start = store.get_to_str(welcome(name));
  store.set(here(start, place.rank), "");
  if (!wait_for(store, complete(start), limit)) {
    const std::vector<int> absent = missing(store, start, place);
    fail_without(absent.empty() ? std::vector<int>{0} : absent);
  }
  return start;
}

}  // namespace

std::string meet(c10d::Store& store, const JobPlace& place, std::chrono::milliseconds patience) {
  const auto limit = Clock::now() + patience;
  if (place.rank == 0) {
    const std::string start = drawn_name();
    gather(store, start, place, limit);
    store.set(complete(start), "");
    return start;
  }
  try {
    return follow(store, place, limit);
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    fail(ErrorKind::unavailable, "the job's store is gone: {} died, or gave up waiting for others",
         place.store_is_there ? "who started it" : "rank 0, which keeps it,");
  }
}

}  // namespace hasa

#endif
