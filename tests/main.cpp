#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace {

/// Where CI=true, a skipped test is a failed one: what is not run is not known to work. Only a missing GPU
/// excuses, and only suites called ...Gpu have that excuse.
class NoSkips : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    const std::string_view suite = test.test_suite_name();
    if (test.result()->Skipped() && !suite.ends_with("Gpu")) {
      ADD_FAILURE() << "skipped, and CI=true counts that as a failure";
    }
  }
};

bool is_true(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && (std::string_view(value) == "true" || std::string_view(value) == "1");
}

/// Folders outside the sources that tests read (base/testing.h); the environment has the first word.
void set_if_there(const char* variable, const std::string& folder) {
  if (std::filesystem::exists(folder)) ::setenv(variable, folder.c_str(), /*overwrite=*/0);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  set_if_there("HASA_DATA", HASA_SOURCE_DIR "/../shared/data");
  set_if_there("HASA_MINILM", HASA_VENV "/models/all-MiniLM-L6-v2");
  set_if_there("HASA_BERT", HASA_VENV "/models/bert-base-uncased");
  // The printer comes after this listener at the end of a test, so that it prints the verdict given here.
  if (is_true("CI")) testing::UnitTest::GetInstance()->listeners().Append(new NoSkips);
  const int code = RUN_ALL_TESTS();
#ifdef HASA_CUDA
  // As in apps/hasa/main.cpp: LibTorch's CUDA libraries do not survive the end of a process.
  std::fflush(nullptr);
  std::_Exit(code);
#endif
  return code;
}
