set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)

# hasa_library(NAME [FOLDER f] [TORCH] [ONLY stem...] [EXCEPT stem...] [LINK target...])
#
# One static library for a folder of src/hasa. Files are found by their names: x_test.cpp and x_bench.cpp
# are left out of the library and gathered into one test and one benchmark program for the folder, and
# x.cu is compiled where CUDA is on. ONLY and EXCEPT split a folder between two libraries. Most presets
# compile the files of a library together, sixteen at a time: most of a file's time goes into the headers they share.
function(hasa_library name)
  cmake_parse_arguments(A "TORCH" "FOLDER" "ONLY;EXCEPT;LINK" ${ARGN})
  if(NOT A_FOLDER)
    set(A_FOLDER ${name})
  endif()
  set(root "${CMAKE_SOURCE_DIR}/src/hasa/${A_FOLDER}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${root}/*.cpp")
  file(GLOB_RECURSE kernels CONFIGURE_DEPENDS "${root}/*.cu")
  if(A_ONLY)
    string(REPLACE ";" "|" stems "${A_ONLY}")
    list(FILTER sources INCLUDE REGEX "/(${stems})(_test|_bench)?\\.cpp$")
    set(kernels "")
  elseif(A_EXCEPT)
    string(REPLACE ";" "|" stems "${A_EXCEPT}")
    list(FILTER sources EXCLUDE REGEX "/(${stems})(_test|_bench)?\\.cpp$")
  endif()
  set(tests ${sources})
  set(benches ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cpp$")

  set(target hasa_${name})
  if(sources)
    set(scope PUBLIC)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} SYSTEM PRIVATE ${HASA_JSON_INCLUDE} ${HASA_SPDLOG_INCLUDE})
  else()
    set(scope INTERFACE)  # headers alone
    add_library(${target} INTERFACE)
  endif()
  target_include_directories(${target} ${scope} "${CMAKE_SOURCE_DIR}/src")
  target_link_libraries(${target} ${scope} ${A_LINK})
  if(A_TORCH)
    target_link_libraries(${target} ${scope} hasa_torch)
    if(sources)
      target_precompile_headers(${target} REUSE_FROM hasa_torch_pch)
    endif()
    set_source_files_properties(${kernels} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # each takes minutes
    if(HASA_CUDA AND kernels)
      target_sources(${target} PRIVATE ${kernels})
    elseif(HASA_TESTS AND HASA_NVCC AND kernels AND NOT HASA_SANITIZE)
      # Kernels keep compiling on a machine with nvcc and no GPU; sanitizers have nothing to look for in them.
      add_library(${target}_kernels OBJECT ${kernels})
      target_include_directories(${target}_kernels PRIVATE "${CMAKE_SOURCE_DIR}/src")
      add_dependencies(tests ${target}_kernels)
    endif()
  endif()

  if(HASA_TESTS AND tests)
    hasa_test_program(${name}_test SOURCES ${tests} LINK ${target})
    if(A_TORCH)
      target_precompile_headers(${name}_test REUSE_FROM hasa_torch_test_pch)
      target_sources(${name}_test PRIVATE $<TARGET_OBJECTS:hasa_instruction_set_check>)
    else()
      target_precompile_headers(${name}_test REUSE_FROM hasa_test_pch)
    endif()
  endif()
  if(HASA_BENCH AND benches)
    add_executable(${name}_bench ${benches})
    set_target_properties(${name}_bench PROPERTIES UNITY_BUILD OFF)
    target_include_directories(${name}_bench SYSTEM PRIVATE ${HASA_JSON_INCLUDE})
    target_link_libraries(${name}_bench PRIVATE ${target} benchmark::benchmark_main)
    if(A_TORCH)
      target_precompile_headers(${name}_bench REUSE_FROM hasa_torch_pch)
      target_compile_options(${name}_bench PRIVATE -fPIC)
    endif()
    add_dependencies(benches ${name}_bench)
  endif()
endfunction()

# A precompiled header for tests: FILE of this folder.
function(hasa_test_pch name file)
  file(WRITE "${CMAKE_BINARY_DIR}/${name}.cpp" "// carries the precompiled header\n")
  add_library(${name} OBJECT "${CMAKE_BINARY_DIR}/${name}.cpp")
  target_link_libraries(${name} PUBLIC hasa_fmt GTest::gmock GTest::gtest hasa_test_flags ${ARGN})
  target_precompile_headers(${name} PRIVATE "${CMAKE_SOURCE_DIR}/cmake/${file}")
endfunction()

# Registers every TEST of the program with ctest under its own name; suites called ...Gpu carry the label gpu.
function(hasa_test_program name)
  cmake_parse_arguments(A "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  # Tests name their helpers as they like, and are edited one at a time.
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  target_include_directories(${name} SYSTEM PRIVATE ${HASA_JSON_INCLUDE})
  target_link_libraries(${name} PRIVATE ${A_LINK} hasa_test_main)
  target_compile_definitions(${name} PRIVATE HASA_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE hasa_test_flags)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 300 TEST_FILTER "-*Gpu.*"
    PROPERTIES TIMEOUT 1200 LABELS "unit")
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 300 TEST_FILTER "*Gpu.*"
    TEST_LIST ${name}_GPU_TESTS PROPERTIES TIMEOUT 1200 LABELS "gpu")
  add_dependencies(tests ${name})
endfunction()

if(HASA_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  include(GoogleTest)
  # Everything that ctest runs.
  add_custom_target(tests)
  add_library(hasa_test_main STATIC "${CMAKE_SOURCE_DIR}/tests/main.cpp")
  target_link_libraries(hasa_test_main PUBLIC hasa_base GTest::gmock GTest::gtest)
  target_compile_definitions(hasa_test_main PRIVATE HASA_VENV="${HASA_VENV}" HASA_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
    $<$<BOOL:${HASA_CUDA}>:HASA_CUDA>)
  # What a test does is in the libraries, so its own code is compiled quickly rather than well. -fPIC as the libraries:
  # the compiler takes a precompiled header only under the flags it was made with.
  add_library(hasa_test_flags INTERFACE)
  target_compile_options(hasa_test_flags INTERFACE -fPIC $<$<CONFIG:Release>:-O1>)
  hasa_test_pch(hasa_test_pch test_pch.h)
endif()
# Runs a test program again for each instruction set that products may come from; FILTER is GoogleTest's. A chip that
# lacks one says so and skips (see tests/main.cpp), and tests/instruction_set_check.cpp fails unless it is in effect.
function(hasa_isa_matrix name filter)
  foreach(asked ATEN_CPU_CAPABILITY=default ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 ONEDNN_MAX_CPU_ISA=AVX512_CORE)
    string(REGEX REPLACE "_.*=" "." short "${asked}")
    add_test(NAME Isa.${name}.${short} COMMAND ${name} --gtest_brief=1 "--gtest_filter=${filter}")
    set_tests_properties(Isa.${name}.${short} PROPERTIES ENVIRONMENT "${asked}" LABELS "isa" SKIP_RETURN_CODE 77 TIMEOUT 1200)
  endforeach()
endfunction()

if(HASA_BENCH)
  find_package(benchmark REQUIRED)
  add_custom_target(benches)
endif()
