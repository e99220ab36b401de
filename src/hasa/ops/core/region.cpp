#include "hasa/ops/core/region.h"

#ifdef HASA_CUDA
#include <nvtx3/nvToolsExt.h>
#endif

namespace hasa {

#ifdef HASA_CUDA
Region::Region(const char* name) { nvtxRangePushA(name); }
Region::~Region() { nvtxRangePop(); }
#else
Region::Region(const char* /*name*/) {}
Region::~Region() = default;
#endif

}  // namespace hasa
