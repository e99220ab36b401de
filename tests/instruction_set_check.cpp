// Part of every test program that multiplies: where a variable asks LibTorch or oneDNN for an instruction set, the
// tests mean nothing unless that one is in effect.
#include <ATen/Version.h>
#include <ATen/native/verbose_wrapper.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "hasa/base/cpu_features.h"

namespace {

/// What oneDNN says of itself at its first product: "onednn_verbose,v1,info,cpu,isa:Intel AVX2".
std::string onednn_instruction_set() {
  testing::internal::CaptureStdout();
  torch::verbose::_mkldnn_set_verbose(1);
  (void)at::ones({16, 16}).to_mkldnn();
  torch::verbose::_mkldnn_set_verbose(0);
  std::fflush(stdout);
  const std::string said = testing::internal::GetCapturedStdout();
  const std::size_t begin = said.find("cpu,isa:");
  return begin == std::string::npos ? said : said.substr(begin, said.find('\n', begin) - begin);
}

class InstructionSetInEffect : public testing::Environment {
  void SetUp() override {
    const char* const aten = std::getenv("ATEN_CPU_CAPABILITY");
    if (aten != nullptr) {
      const std::string wanted = aten;
      ASSERT_EQ(at::get_cpu_capability(), wanted == "default" ? "DEFAULT" : wanted == "avx2" ? "AVX2" : wanted);
    }
    const char* const onednn = std::getenv("ONEDNN_MAX_CPU_ISA");
    if (onednn == nullptr) return;
    const std::string in_effect = onednn_instruction_set();
    switch (hasa::level_allowed_by(onednn)) {
      case hasa::CpuLevel::avx2: ASSERT_EQ(in_effect, "cpu,isa:Intel AVX2"); break;
      case hasa::CpuLevel::avx512:
        ASSERT_EQ(in_effect, "cpu,isa:Intel AVX-512 with AVX512BW, AVX512VL, and AVX512DQ extensions");
        break;
      default: break;  // no part of the matrix
    }
  }
};

[[maybe_unused]] const auto* const registered = testing::AddGlobalTestEnvironment(new InstructionSetInEffect);

}  // namespace
