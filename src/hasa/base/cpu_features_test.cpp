#include "hasa/base/cpu_features.h"

#include <cstdlib>
#include <map>
#include <utility>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

constexpr std::uint32_t bits(std::initializer_list<int> indices) {
  std::uint32_t word = 0;
  for (const int index : indices) word |= 1U << index;
  return word;
}

/// A chip as its maker's manual lists the bits of its leaves, under a kernel that saves everything it can.
struct MadeUpChip {
  std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidRegisters> leaves;
  std::uint64_t state = 0x7;
  bool tiles_permitted = true;
  mutable int permission_asked = 0;

  CpuFeatures features() const {
    return cpu_features({[this](std::uint32_t leaf, std::uint32_t subleaf) {
                           const auto found = leaves.find({leaf, subleaf});
                           return found == leaves.end() ? CpuidRegisters{} : found->second;
                         },
                         [this] { return state; },
                         [this] {
                           ++permission_asked;
                           return tiles_permitted;
                         }});
  }
};

MadeUpChip haswell() {
  MadeUpChip chip;
  chip.leaves[{0, 0}].eax = 0xd;
  chip.leaves[{1, 0}].ecx = bits({12, 27, 28});  // FMA, OSXSAVE, AVX
  chip.leaves[{7, 0}].ebx = bits({5});           // AVX2
  return chip;
}

MadeUpChip skylake_server() {
  MadeUpChip chip = haswell();
  chip.leaves[{0, 0}].eax = 0x16;
  chip.leaves[{7, 0}].ebx |= bits({16, 17, 30, 31});  // AVX512F, DQ, BW, VL
  chip.state = 0xe7;
  return chip;
}

MadeUpChip zen4() {
  MadeUpChip chip = skylake_server();
  chip.leaves[{0, 0}].eax = 0x10;
  chip.leaves[{7, 0}].ecx = bits({11});  // AVX512_VNNI
  chip.leaves[{7, 1}].eax = bits({5});   // AVX512_BF16
  return chip;
}

MadeUpChip sapphire_rapids() {
  MadeUpChip chip = zen4();
  chip.leaves[{0, 0}].eax = 0x20;
  chip.leaves[{7, 0}].edx = bits({22, 23, 24, 25});  // AMX-BF16, AVX512_FP16, AMX-TILE, AMX-INT8
  chip.leaves[{0x1d, 0}].eax = 1;                    // one palette
  chip.leaves[{0x1d, 1}] = {0x04002000, 0x00080040, 0x00000010, 0};
  chip.state = 0x602e7;
  return chip;
}

TEST(CpuFeatures, WithAllThatAnnouncedAmxNeedsNothingIsLimited) {
  const CpuFeatures features = sapphire_rapids().features();
  EXPECT_EQ(features.usable, CpuLevel::amx);
  EXPECT_EQ(onednn_limit(features), "");
  EXPECT_EQ(features.missing, "");
}

TEST(CpuFeatures, WithoutTilePalettesAmxIsNotUsableHoweverItIsAnnounced) {
  MadeUpChip chip = sapphire_rapids();
  chip.leaves[{0x1d, 0}] = chip.leaves[{0x1d, 1}] = {};
  const CpuFeatures features = chip.features();
  EXPECT_EQ(features.announced, CpuLevel::amx);
  EXPECT_EQ(onednn_limit(features), "AVX512_CORE_FP16");
  EXPECT_THAT(features.missing, ::testing::HasSubstr("palettes"));
  EXPECT_EQ(chip.permission_asked, 0);
}

TEST(CpuFeatures, WithoutTilePalettesAChipThatHasNoFloat16IsLimitedToBfloat16) {
  MadeUpChip chip = sapphire_rapids();
  chip.leaves[{0x1d, 0}] = chip.leaves[{0x1d, 1}] = {};
  chip.leaves[{7, 0}].edx = bits({22, 24, 25});
  EXPECT_EQ(onednn_limit(chip.features()), "AVX512_CORE_BF16");
}

TEST(CpuFeatures, ALeafPastTheHighestIsNoPalette) {
  MadeUpChip chip = sapphire_rapids();
  chip.leaves[{0, 0}].eax = 0x1c;  // Intel's chips answer leaves past the highest with the highest one's registers
  EXPECT_EQ(onednn_limit(chip.features()), "AVX512_CORE_FP16");
}

TEST(CpuFeatures, AKernelThatDeniesTilesLeavesTheRest) {
  MadeUpChip chip = sapphire_rapids();
  chip.tiles_permitted = false;
  EXPECT_EQ(onednn_limit(chip.features()), "AVX512_CORE_FP16");
  EXPECT_THAT(chip.features().missing, ::testing::HasSubstr("does not let this process"));
}

TEST(CpuFeatures, AKernelThatDoesNotSaveTilesLeavesTheRest) {
  MadeUpChip chip = sapphire_rapids();
  chip.state = 0xe7;
  EXPECT_EQ(onednn_limit(chip.features()), "AVX512_CORE_FP16");
  EXPECT_EQ(chip.permission_asked, 0);
}

TEST(CpuFeatures, AKernelThatSavesNoZmmRegistersLeavesAvx2) {
  for (const MadeUpChip& announced : {skylake_server(), zen4(), sapphire_rapids()}) {
    MadeUpChip chip = announced;
    chip.state = 0x7;
    EXPECT_EQ(chip.features().usable, CpuLevel::avx2);
    EXPECT_EQ(onednn_limit(chip.features()), "AVX2");
  }
}

TEST(CpuFeatures, AKernelThatSavesNoVectorRegistersLeavesSse) {
  MadeUpChip chip = haswell();
  chip.state = 0x3;
  EXPECT_EQ(onednn_limit(chip.features()), "SSE41");
  chip = zen4();
  chip.leaves[{1, 0}].ecx = bits({12, 28});  // no OSXSAVE: XCR0 must not even be read
  EXPECT_EQ(onednn_limit(chip.features()), "SSE41");
}

TEST(CpuFeatures, ChipsWithoutAmxAreTakenAtTheirWord) {
  EXPECT_EQ(haswell().features().usable, CpuLevel::avx2);
  EXPECT_EQ(skylake_server().features().usable, CpuLevel::avx512);
  EXPECT_EQ(zen4().features().usable, CpuLevel::avx512_bf16);
  for (const MadeUpChip& chip : {haswell(), skylake_server(), zen4()}) {
    EXPECT_EQ(onednn_limit(chip.features()), "");
    EXPECT_EQ(chip.permission_asked, 0);
  }
}

TEST(CpuFeatures, AChipWithoutAvxIsTheBaseline) {
  EXPECT_EQ(MadeUpChip().features().usable, CpuLevel::baseline);
  EXPECT_EQ(onednn_limit(MadeUpChip().features()), "");
}

TEST(CpuFeatures, OfThisChipAreWhatTheCompilersRuntimeFindsToo) {
  __builtin_cpu_init();
  const CpuFeatures features = cpu_features(cpu_report());
  EXPECT_EQ(features.usable >= CpuLevel::avx2, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
  EXPECT_EQ(features.usable >= CpuLevel::avx512, __builtin_cpu_supports("avx512bw") &&
                                                     __builtin_cpu_supports("avx512vl") &&
                                                     __builtin_cpu_supports("avx512dq"));
}

TEST(OneDnnLimit, LeavesWhatTheUserSet) {
  ::setenv("ONEDNN_MAX_CPU_ISA", "AVX2", /*overwrite=*/1);
  limit_onednn_to_this_cpu();
  EXPECT_STREQ(std::getenv("ONEDNN_MAX_CPU_ISA"), "AVX2");
  EXPECT_THAT(describe_cpu(), ::testing::HasSubstr("oneDNN is limited to AVX2"));
  ::unsetenv("ONEDNN_MAX_CPU_ISA");
}

TEST(OneDnnLimit, AllowsWhatItsNameSays) {
  EXPECT_EQ(level_allowed_by("SSE41"), CpuLevel::baseline);
  EXPECT_EQ(level_allowed_by("AVX2"), CpuLevel::avx2);
  EXPECT_EQ(level_allowed_by("AVX2_VNNI"), CpuLevel::avx2);
  EXPECT_EQ(level_allowed_by("AVX512_CORE"), CpuLevel::avx512);
  EXPECT_EQ(level_allowed_by("AVX512_CORE_BF16"), CpuLevel::avx512_bf16);
  for (const char* all :
       {"AVX512_CORE_AMX", "AVX512_CORE_AMX_FP16", "DEFAULT", "", "a misspelling, which oneDNN ignores"})
    EXPECT_EQ(level_allowed_by(all), CpuLevel::amx) << all;
}

TEST(OneDnnLimit, OfAvx2LeavesNoBfloat16) {
  ::setenv("ONEDNN_MAX_CPU_ISA", "AVX2", /*overwrite=*/1);
  EXPECT_LE(onednn_level(), CpuLevel::avx2);
  ::unsetenv("ONEDNN_MAX_CPU_ISA");
  EXPECT_EQ(onednn_level(), cpu_features(cpu_report()).usable);
}

TEST(OneDnnLimit, IsSetWhereThisChipNeedsOneAndOnlyThere) {
  ::unsetenv("ONEDNN_MAX_CPU_ISA");
  limit_onednn_to_this_cpu();
  const char* const limit = std::getenv("ONEDNN_MAX_CPU_ISA");
  EXPECT_EQ(limit == nullptr ? "" : limit, onednn_limit(cpu_features(cpu_report())));
  ::unsetenv("ONEDNN_MAX_CPU_ISA");
}

}  // namespace
}  // namespace hasa
