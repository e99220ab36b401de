#pragma once

namespace hasa {

/// "0.1.0", as CMake's project() has it.
const char* version();

/// The git commit the program was built from, "-dirty" behind it where the tree had changes.
const char* commit();

}  // namespace hasa
