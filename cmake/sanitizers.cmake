# HASA_SANITIZE is what -fsanitize= takes. LibTorch is not instrumented: its classes have no type
# information for the vptr check.
set(HASA_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")
if(HASA_SANITIZE)
  add_compile_options(-fsanitize=${HASA_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HASA_SANITIZE})
  if(HASA_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=vptr -fno-sanitize-recover=undefined)
  endif()
endif()

# The fuzzing build instruments every library for libFuzzer, and goes past checksums to the checks behind them.
if(HASA_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "libFuzzer comes with clang: -DCMAKE_CXX_COMPILER=clang++")
  endif()
  add_compile_definitions(HASA_FUZZING)
  add_compile_options(-g1 -fno-omit-frame-pointer -fno-sanitize-recover=undefined
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=vptr,function)
  add_link_options(-fsanitize=address,undefined)
endif()
