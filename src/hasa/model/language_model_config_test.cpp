#include "hasa/model/language_model_config.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(DtypeFor, FollowsTheOption) {
  EXPECT_EQ(dtype_for(Precision::fp32, torch::kCUDA), torch::kFloat32);
  EXPECT_EQ(dtype_for(Precision::bf16, torch::kCPU), torch::kBFloat16);
}

TEST(DtypeFor, ChoosesBfloat16WhereTheChipHasInstructionsForIt) {
  std::ifstream in("/proc/cpuinfo");
  const std::string cpu((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const bool has = cpu.find("avx512_bf16") != std::string::npos;
  const char* const limit = std::getenv("ONEDNN_MAX_CPU_ISA");
  const bool allowed = limit == nullptr || std::string_view(limit) == "AVX512_CORE_BF16";
  EXPECT_EQ(dtype_for(Precision::automatic, torch::kCPU), has && allowed ? torch::kBFloat16 : torch::kFloat32);
  EXPECT_EQ(dtype_for(Precision::automatic, torch::kCUDA), torch::kBFloat16);
}

}  // namespace
}  // namespace hasa
