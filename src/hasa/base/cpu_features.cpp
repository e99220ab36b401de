#include "hasa/base/cpu_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace hasa {
namespace {

constexpr const char* kLimitVariable = "ONEDNN_MAX_CPU_ISA";
constexpr const char* kOldLimitVariable = "DNNL_MAX_CPU_ISA";  // oneDNN reads it where the other is not set

constexpr bool bit(std::uint64_t word, int index) { return (word >> index & 1) != 0; }

// Parts of XCR0, by bits: what the kernel saves when it switches from one thread to another.
constexpr std::uint64_t kAvxState = 0x6;       // XMM, YMM
constexpr std::uint64_t kAvx512State = 0xe6;   // and the opmasks, the upper halves of ZMM, ZMM16 to 31
constexpr std::uint64_t kTileState = 0x60000;  // TILECFG, TILEDATA
constexpr bool has_all(std::uint64_t word, std::uint64_t bits) { return (word & bits) == bits; }

/// By feature bits alone, as Intel's manual has them (volume 2A, CPUID).
CpuLevel announced_level(const CpuReport& report) {
  const CpuidRegisters one = report.cpuid(1, 0), seven = report.cpuid(7, 0), seven_one = report.cpuid(7, 1);
  const bool avx = bit(one.ecx, 28), fma = bit(one.ecx, 12);
  if (!avx || !fma || !bit(seven.ebx, 5)) return CpuLevel::baseline;
  // F, DQ, BW and VL: what oneDNN calls its core.
  const bool avx512 = bit(seven.ebx, 16) && bit(seven.ebx, 17) && bit(seven.ebx, 30) && bit(seven.ebx, 31);
  if (!avx512) return CpuLevel::avx2;
  if (!bit(seven.ecx, 11)) return CpuLevel::avx512;
  if (!bit(seven_one.eax, 5)) return CpuLevel::avx512_vnni;
  const bool tiles = bit(seven.edx, 24) && bit(seven.edx, 22) && bit(seven.edx, 25);  // TILE, BF16, INT8
  if (tiles) return CpuLevel::amx;
  return bit(seven.edx, 23) ? CpuLevel::avx512_fp16 : CpuLevel::avx512_bf16;
}

/// The best without AMX on a chip that announces it.
CpuLevel level_below_amx(const CpuReport& report) {
  return bit(report.cpuid(7, 0).edx, 23) ? CpuLevel::avx512_fp16 : CpuLevel::avx512_bf16;
}

/// Why tiles that are announced cannot be used; "" where they can.
std::string tiles_missing(const CpuReport& report, std::uint64_t state) {
  if (report.cpuid(0, 0).eax < 0x1d || report.cpuid(0x1d, 0).eax == 0)
    return "AMX is announced without tile palettes (CPUID leaf 0x1D reads 0)";
  if (!has_all(state, kTileState)) return "AMX is announced, but the kernel does not save its tiles";
  if (!report.may_use_tiles()) return "AMX is there, but the kernel does not let this process use it";
  return "";
}

const char* onednn_name(CpuLevel level) {
  switch (level) {
    case CpuLevel::baseline: return "SSE41";
    case CpuLevel::avx2: return "AVX2";
    case CpuLevel::avx512: return "AVX512_CORE";
    case CpuLevel::avx512_vnni: return "AVX512_CORE_VNNI";
    case CpuLevel::avx512_bf16: return "AVX512_CORE_BF16";
    case CpuLevel::avx512_fp16: return "AVX512_CORE_FP16";
    case CpuLevel::amx: return "AVX512_CORE_AMX";
  }
  return "";
}

const char* limit_in_effect() {
  const char* const limit = std::getenv(kLimitVariable);
  return limit != nullptr ? limit : std::getenv(kOldLimitVariable);
}

#if defined(__x86_64__)
CpuidRegisters read_cpuid(std::uint32_t leaf, std::uint32_t subleaf) {
  CpuidRegisters registers;
  __get_cpuid_count(leaf, subleaf, &registers.eax, &registers.ebx, &registers.ecx, &registers.edx);
  return registers;
}

std::uint64_t read_enabled_state() {
  std::uint32_t low = 0, high = 0;
  // The instruction itself: its intrinsic wants a compiler flag for the whole file.
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

/// Tiles are 8 KiB more to save for each thread, so Linux wants to be asked; the answer holds for the process.
bool ask_for_tiles() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}
#endif

}  // namespace

CpuReport cpu_report() {
#if defined(__x86_64__)
  return {read_cpuid, read_enabled_state, ask_for_tiles};
#else
  return {[](std::uint32_t, std::uint32_t) { return CpuidRegisters{}; }, [] { return std::uint64_t{0}; },
          [] { return false; }};
#endif
}

const char* to_string(CpuLevel level) {
  switch (level) {
    case CpuLevel::baseline: return "no AVX2";
    case CpuLevel::avx2: return "AVX2";
    case CpuLevel::avx512: return "AVX-512";
    case CpuLevel::avx512_vnni: return "AVX-512 with VNNI";
    case CpuLevel::avx512_bf16: return "AVX-512 with bfloat16";
    case CpuLevel::avx512_fp16: return "AVX-512 with float16";
    case CpuLevel::amx: return "AMX";
  }
  return "";
}

CpuFeatures cpu_features(const CpuReport& report) {
  CpuFeatures features;
  features.announced = features.usable = announced_level(report);
  const bool readable = bit(report.cpuid(1, 0).ecx, 27);  // OSXSAVE: the kernel has XGETBV switched on
  const std::uint64_t state = readable ? report.enabled_state() : 0;
  if (features.announced > CpuLevel::baseline && !has_all(state, kAvxState)) {
    features.usable = CpuLevel::baseline;
    features.missing = "AVX is announced, but the kernel does not save its registers";
  } else if (features.announced > CpuLevel::avx2 && !has_all(state, kAvx512State)) {
    features.usable = CpuLevel::avx2;
    features.missing = "AVX-512 is announced, but the kernel does not save its registers";
  } else if (features.announced == CpuLevel::amx) {
    features.missing = tiles_missing(report, state);
    if (!features.missing.empty()) features.usable = level_below_amx(report);
  }
  return features;
}

std::string onednn_limit(const CpuFeatures& features) {
  return features.usable < features.announced ? onednn_name(features.usable) : "";
}

void limit_onednn_to_this_cpu() {
  if (limit_in_effect() != nullptr) return;
  const std::string limit = onednn_limit(cpu_features(cpu_report()));
  if (!limit.empty()) ::setenv(kLimitVariable, limit.c_str(), /*overwrite=*/0);
}

CpuLevel level_allowed_by(std::string_view limit) {
  // Among them are what oneDNN calls AVX and SSE 4.1, and two kinds of AVX2 that our products have no use for.
  if (limit == "AVX" || limit == "SSE41") return CpuLevel::baseline;
  if (limit.starts_with("AVX2")) return CpuLevel::avx2;
  for (const CpuLevel level : {CpuLevel::avx512, CpuLevel::avx512_vnni, CpuLevel::avx512_bf16, CpuLevel::avx512_fp16}) {
    if (limit == onednn_name(level)) return level;
  }
  return CpuLevel::amx;
}

CpuLevel onednn_level() {
  const CpuLevel usable = cpu_features(cpu_report()).usable;
  const char* const limit = limit_in_effect();
  return limit == nullptr ? usable : std::min(usable, level_allowed_by(limit));
}

std::string describe_cpu() {
  const CpuFeatures features = cpu_features(cpu_report());
  std::string text = to_string(features.usable);
  if (!features.missing.empty()) text += "; " + features.missing;
  if (const char* const limit = limit_in_effect()) text += fmt::format("; oneDNN is limited to {}", limit);
  return text;
}

}  // namespace hasa
