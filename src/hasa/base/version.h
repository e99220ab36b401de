#pragma once

namespace hasa {

/// "0.1.0", as in CMake's project().
const char* version();

/// The git commit the program was built from, with "-dirty" if the tree had changes.
const char* commit();

}  // namespace hasa
