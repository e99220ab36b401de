#include "hasa/base/version.h"

namespace hasa {

const char* version() { return HASA_VERSION; }

}  // namespace hasa
