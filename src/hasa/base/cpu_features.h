#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace hasa {

struct CpuidRegisters {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// What the CPU and the kernel report. Tests substitute it.
struct CpuReport {
  std::function<CpuidRegisters(std::uint32_t leaf, std::uint32_t subleaf)> cpuid;  // zeros beyond the highest leaf
  std::function<std::uint64_t()> enabled_state;  // XCR0: the registers that the kernel saves; asked only with OSXSAVE
  std::function<bool()> may_use_tiles;           // whether the kernel lets this process use AMX; asked last
};
CpuReport cpu_report();

/// The instruction sets relevant to matrix products, each including those before it.
enum class CpuLevel { baseline, avx2, avx512, avx512_vnni, avx512_bf16, avx512_fp16, amx };
const char* to_string(CpuLevel level);

struct CpuFeatures {
  CpuLevel announced = CpuLevel::baseline;  // by the feature bits, which libraries rely on
  CpuLevel usable = CpuLevel::baseline;     // what works: state saved by the kernel, tile palettes present, permitted
  std::string missing;                      // why usable is less; "" where it is not
};

/// AMX needs more than its feature bits. A hypervisor may announce it and hide leaf 0x1D, the
/// tile palettes: then no tile can be configured, and the first tile instruction crashes the process (SIGILL).
CpuFeatures cpu_features(const CpuReport& report);

/// The ONEDNN_MAX_CPU_ISA that limits oneDNN to what is usable; "" if no limit is needed.
std::string onednn_limit(const CpuFeatures& features);

/// Detects the CPU's features and sets ONEDNN_MAX_CPU_ISA if necessary, unless the user has set it. oneDNN reads it
/// at its first product, so call this at the start of main() or of a module, before other threads.
void limit_onednn_to_this_cpu();

/// What oneDNN uses: what is usable here, or less by ONEDNN_MAX_CPU_ISA.
CpuLevel onednn_level();

/// The level that a value of ONEDNN_MAX_CPU_ISA allows; those that name no level below AMX allow all.
CpuLevel level_allowed_by(std::string_view limit);

/// "AVX-512 with bfloat16", and what is missing and which limit is in effect: for `hasa version` and logs.
std::string describe_cpu();

}  // namespace hasa
