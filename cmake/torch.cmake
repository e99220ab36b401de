# LibTorch from the pinned wheel. The wheel's own CMake package insists on a CUDA toolkit, so the target
# is declared here: headers, libtorch_cpu and libc10, and the CUDA libraries where they are asked for.
file(GLOB HASA_SITE_PACKAGES "${HASA_VENV}/lib/python3*/site-packages")
set(HASA_TORCH_DIR "" CACHE PATH "Folder of the installed torch package; found in HASA_VENV when empty")
set(torch_dir "${HASA_TORCH_DIR}")
if(NOT torch_dir)
  set(torch_dir "${HASA_SITE_PACKAGES}/torch")
endif()
if(NOT EXISTS "${torch_dir}/lib/libtorch_cpu.so")
  message(FATAL_ERROR "LibTorch not found at ${torch_dir}: run tools/setup.sh, or set HASA_TORCH_DIR")
endif()
file(GLOB HASA_NVIDIA_LIB_DIRS "${torch_dir}/../nvidia/*/lib")

add_library(hasa_torch INTERFACE)
target_include_directories(hasa_torch SYSTEM INTERFACE
  "${torch_dir}/include" "${torch_dir}/include/torch/csrc/api/include")
# libtorch.so ties the CPU library to CUDA; the program links its parts by name instead.
target_link_libraries(hasa_torch INTERFACE "${torch_dir}/lib/libtorch_cpu.so" "${torch_dir}/lib/libc10.so")
# The CUPTI and CUDA runtime that libtorch_cpu names are found at run time beside it.
target_link_options(hasa_torch INTERFACE -Wl,--unresolved-symbols=ignore-in-shared-libs)
set(HASA_TORCH_RPATH "${torch_dir}/lib" ${HASA_NVIDIA_LIB_DIRS})
set(CMAKE_BUILD_RPATH ${HASA_TORCH_RPATH})
set(HASA_TORCH_LIB_DIR "${torch_dir}/lib")

if(HASA_CUDA)
  set(CMAKE_CUDA_ARCHITECTURES "90" CACHE STRING "GPU architectures to compile for")
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 17)
  find_package(CUDAToolkit REQUIRED)
  # Named libraries of the linker drop what looks unused, and libtorch_cuda registers itself on load.
  target_link_libraries(hasa_torch INTERFACE -Wl,--no-as-needed
    "${torch_dir}/lib/libtorch_cuda.so" "${torch_dir}/lib/libc10_cuda.so" -Wl,--as-needed)
  target_compile_definitions(hasa_torch INTERFACE HASA_CUDA)
  target_include_directories(hasa_torch SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
endif()

# One precompiled header for every file that sees tensors: 20 s of parsing becomes 3.
file(WRITE "${CMAKE_BINARY_DIR}/torch_pch.cpp" "// carries the precompiled header\n")
add_library(hasa_torch_pch OBJECT "${CMAKE_BINARY_DIR}/torch_pch.cpp")
target_link_libraries(hasa_torch_pch PUBLIC hasa_torch fmt::fmt-header-only)
target_include_directories(hasa_torch_pch PRIVATE "${CMAKE_SOURCE_DIR}/src")
target_precompile_headers(hasa_torch_pch PRIVATE "${CMAKE_SOURCE_DIR}/cmake/torch_pch.h")
