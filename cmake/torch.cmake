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
# The CUPTI and CUDA runtime that libtorch_cpu names are found at run time beside it. A module may leave symbols open
# anyhow: Python's own are the interpreter's.
target_link_options(hasa_torch INTERFACE
  $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-Wl,--unresolved-symbols=ignore-in-shared-libs>)
set(HASA_TORCH_RPATH "${torch_dir}/lib" ${HASA_NVIDIA_LIB_DIRS})
set(CMAKE_BUILD_RPATH ${HASA_TORCH_RPATH})
set(HASA_TORCH_LIB_DIR "${torch_dir}/lib")

add_library(hasa_faiss INTERFACE)
if(HASA_FAISS)
  target_include_directories(hasa_faiss SYSTEM INTERFACE ${HASA_FAISS_INCLUDE})
  target_compile_definitions(hasa_faiss INTERFACE HASA_FAISS)
  # Its threads are those of LibTorch's OpenMP, its products LibTorch's.
  target_link_libraries(hasa_faiss INTERFACE ${HASA_FAISS_LIBRARY} hasa_torch "${torch_dir}/lib/libgomp.so.1")
endif()
# The files that an installed program or Python package carries along.
set(HASA_TORCH_LIBRARIES libtorch_cpu.so libc10.so libgomp.so.1)
set(nvidia "libcudart.so.*" "libcupti.so.*")
if(HASA_CUDA)
  list(APPEND HASA_TORCH_LIBRARIES libtorch_cuda.so libtorch_cuda_linalg.so libtorch_nvshmem.so libc10_cuda.so libcaffe2_nvrtc.so)
  set(nvidia "*.so*")
endif()
list(TRANSFORM HASA_TORCH_LIBRARIES PREPEND "${HASA_TORCH_LIB_DIR}/")
foreach(folder IN LISTS HASA_NVIDIA_LIB_DIRS)
  foreach(pattern IN LISTS nvidia)
    file(GLOB found "${folder}/${pattern}")
    list(APPEND HASA_TORCH_LIBRARIES ${found})
  endforeach()
endforeach()

# With HASA_CUDA off, a machine that has nvcc still compiles the kernels along with the tests.
find_program(HASA_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
if(HASA_CUDA AND NOT HASA_NVCC)
  message(FATAL_ERROR "HASA_CUDA needs nvcc: install a CUDA 13 toolkit, or set HASA_NVCC to its nvcc")
endif()
if(HASA_CUDA OR (HASA_TESTS AND HASA_NVCC))
  # For the GPU that is here; for Hopper where none is.
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader OUTPUT_VARIABLE capability ERROR_QUIET)
  if(NOT capability MATCHES "^([0-9]+)\\.([0-9])")
    set(capability "9.0")
  endif()
  string(REGEX REPLACE "^([0-9]+)\\.([0-9]).*" "\\1\\2" capability "${capability}")
  set(CMAKE_CUDA_ARCHITECTURES "${capability}" CACHE STRING "GPU architectures to compile for")
  set(CMAKE_CUDA_COMPILER "${HASA_NVCC}" CACHE FILEPATH "CUDA compiler")
  set(CMAKE_CUDA_STANDARD 17)
  if(NOT HASA_CUDA)  # an old toolkit that this g++ is too new for stops no CPU build
    include(CheckLanguage)
    check_language(CUDA)
  endif()
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
  else()
    set(HASA_NVCC "")
  endif()
endif()

if(HASA_CUDA)
  find_package(CUDAToolkit REQUIRED)
  # Named libraries of the linker drop what looks unused, and libtorch_cuda registers itself on load.
  target_link_libraries(hasa_torch INTERFACE -Wl,--no-as-needed
    "${torch_dir}/lib/libtorch_cuda.so" "${torch_dir}/lib/libc10_cuda.so" -Wl,--as-needed)
  target_compile_definitions(hasa_torch INTERFACE HASA_CUDA)
  target_include_directories(hasa_torch SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
  # Traces kernels for `hasa bench`; its headers and library come with the torch wheel, as libtorch_cpu needs it too.
  find_path(HASA_CUPTI_INCLUDE cupti.h REQUIRED
    PATHS "${torch_dir}/../nvidia/cu13/include" ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES ../extras/CUPTI/include)
  find_library(HASA_CUPTI NAMES libcupti.so.13 cupti REQUIRED
    PATHS "${torch_dir}/../nvidia/cu13/lib" "${CUDAToolkit_LIBRARY_DIR}" PATH_SUFFIXES ../extras/CUPTI/lib64)
  target_include_directories(hasa_torch SYSTEM INTERFACE ${HASA_CUPTI_INCLUDE})
  target_link_libraries(hasa_torch INTERFACE ${HASA_CUPTI})
endif()

# One precompiled header for every file that sees tensors: 20 s of parsing becomes 3.
file(WRITE "${CMAKE_BINARY_DIR}/torch_pch.cpp" "// carries the precompiled header\n")
add_library(hasa_torch_pch OBJECT "${CMAKE_BINARY_DIR}/torch_pch.cpp")
target_link_libraries(hasa_torch_pch PUBLIC hasa_torch hasa_fmt)
target_include_directories(hasa_torch_pch PRIVATE "${CMAKE_SOURCE_DIR}/src")
target_precompile_headers(hasa_torch_pch PRIVATE "${CMAKE_SOURCE_DIR}/cmake/torch_pch.h")
if(HASA_TESTS)
  hasa_test_pch(hasa_torch_test_pch torch_test_pch.h hasa_torch)
endif()
