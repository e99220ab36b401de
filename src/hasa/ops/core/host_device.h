#pragma once

/// Marks a function that CPU code and kernels share.
#ifdef __CUDACC__
#define HASA_HOST_DEVICE __host__ __device__
#else
#define HASA_HOST_DEVICE
#endif
