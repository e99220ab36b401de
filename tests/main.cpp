#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "hasa/base/cpu_features.h"

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

/// ctest's SKIP_RETURN_CODE: a chip that lacks what is asked for cannot be tested with it.
constexpr int kNotOnThisChip = 77;

bool asks_for_more_than_this_chip_has() {
  const hasa::CpuLevel usable = hasa::cpu_features(hasa::cpu_report()).usable;
  const char* const onednn = std::getenv("ONEDNN_MAX_CPU_ISA");
  const char* const aten = std::getenv("ATEN_CPU_CAPABILITY");
  const hasa::CpuLevel allowed = hasa::level_allowed_by(onednn == nullptr ? "" : onednn);
  const bool more = (allowed < hasa::CpuLevel::amx && allowed > usable) ||
                    (aten != nullptr && std::string_view(aten) == "avx2" && usable < hasa::CpuLevel::avx2);
  if (more) std::printf("not run: this chip has %s, and the tests were to use more\n", hasa::to_string(usable));
  return more;
}

}  // namespace

int main(int argc, char** argv) {
  if (asks_for_more_than_this_chip_has()) return kNotOnThisChip;
  hasa::limit_onednn_to_this_cpu();  // as apps/hasa/main.cpp does
  testing::InitGoogleMock(&argc, argv);
  set_if_there("HASA_DATA", HASA_SOURCE_DIR "/../shared/data");
  set_if_there("HASA_MINILM", HASA_VENV "/models/all-MiniLM-L6-v2");
  set_if_there("HASA_BERT", HASA_VENV "/models/bert-base-uncased");
  // The printer comes after this listener at the end of a test, so that it prints the verdict given here.
  if (is_true("CI")) testing::UnitTest::GetInstance()->listeners().Append(new NoSkips);
  const int code = RUN_ALL_TESTS();
#ifdef HASA_CUDA
  // As in apps/hasa/program.cpp: LibTorch's CUDA libraries do not survive the end of a process.
  std::fflush(nullptr);
  std::_Exit(code);
#endif
  return code;
}
