#include "hasa/serve/front/event_log.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  ~Pipe() {
    ::close(ends_[0]);
    close_in();
  }
  int in() const { return ends_[1]; }
  void close_in() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  std::vector<json> lines() {
    close_in();
    std::string text;
    std::array<char, 4096> block = {};
    for (ssize_t count; (count = ::read(ends_[0], block.data(), block.size())) > 0;) {
      text.append(block.data(), static_cast<std::size_t>(count));
    }
    std::vector<json> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
    return lines;
  }

 private:
  std::array<int, 2> ends_ = {-1, -1};
};

TEST(EventLog, WritesOneObjectALineInOrder) {
  Pipe pipe;
  {
    EventLog log(pipe.in());
    log.write(LogLevel::info, "started", ordered_json{{"port", 8080}});
    log.write(LogLevel::warning, "odd", ordered_json{{"what", "a\nb\xFF"}});
  }
  const auto lines = pipe.lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["event"], "started");
  EXPECT_EQ(lines[0]["port"], 8080);
  EXPECT_EQ(lines[1]["level"], "warning");
  EXPECT_EQ(lines[1]["what"], "a\nb\xEF\xBF\xBD");
  EXPECT_THAT(lines[0]["time"].get<std::string>(), ::testing::MatchesRegex("....-..-..T..:..:..\\....Z"));
}

TEST(EventLog, NeverMakesAnybodyWaitForAPipeThatNobodyReads) {
  Pipe pipe;
  const auto begin = std::chrono::steady_clock::now();
  const ordered_json fields = {{"text", std::string(1000, 'x')}};
  EventLog log(pipe.in());
  for (int i = 0; i < 20000; ++i) log.write(LogLevel::info, "request", fields);  // 20 MB into a pipe of 64 kB
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(120));
  EXPECT_GT(log.lost(), 0U);
}

}  // namespace
}  // namespace hasa
