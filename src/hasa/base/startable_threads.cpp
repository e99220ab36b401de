#include "hasa/base/startable_threads.h"

#include <latch>
#include <system_error>
#include <thread>
#include <vector>

namespace hasa {

std::size_t startable_threads(std::size_t wanted) {
  std::latch counted(1);
  std::vector<std::thread> threads;
  threads.reserve(wanted);
  bool at_the_limit = false;
  while (threads.size() < wanted && !at_the_limit) {
    try {
      threads.emplace_back([&counted] { counted.wait(); });
    } catch (const std::system_error&) {
      at_the_limit = true;
    }
  }
  counted.count_down();
  for (std::thread& thread : threads) thread.join();
  return threads.size();
}

}  // namespace hasa
