#pragma once

/// Marks a function with plain loops that the compiler should also build for wider vector units; the best
/// version for the chip is chosen when the program starts, so one binary suits them all. Sanitizers do not
/// survive that choice being made before they are set up, and other compilers lack it.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define HASA_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#else
#define HASA_VECTORISED
#endif
