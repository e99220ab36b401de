# System packages. spdlog, CLI11 and nlohmann-json are used as headers and yaml-cpp, zlib and zstd as archives where the
# system has them so, that the program needs none of them at run time and can be carried to another machine. Those
# archives are not made for shared libraries: the Python module takes the .so instead, and the wheel carries that.
function(hasa_system_library target library include archive)
  find_library(HASA_${library}_LIBRARY NAMES lib${archive}.a ${archive} REQUIRED)
  find_library(HASA_${library}_SHARED NAMES ${archive})
  if(NOT HASA_${library}_SHARED)
    set(HASA_${library}_SHARED "${HASA_${library}_LIBRARY}")
  endif()
  target_include_directories(${target} SYSTEM INTERFACE ${include})
  target_link_libraries(${target} INTERFACE
    "$<IF:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY>,${HASA_${library}_SHARED},${HASA_${library}_LIBRARY}>")
endfunction()

find_package(Threads REQUIRED)
find_path(HASA_FMT_INCLUDE fmt/format.h REQUIRED)
find_path(HASA_JSON_INCLUDE nlohmann/json.hpp REQUIRED)
find_path(HASA_SPDLOG_INCLUDE spdlog/spdlog.h REQUIRED)
find_path(HASA_CLI11_INCLUDE CLI/CLI.hpp REQUIRED)
find_path(HASA_YAML_INCLUDE yaml-cpp/yaml.h REQUIRED)
find_path(HASA_XXHASH_INCLUDE xxhash.h REQUIRED)

add_library(hasa_yaml INTERFACE)
hasa_system_library(hasa_yaml YAML ${HASA_YAML_INCLUDE} yaml-cpp)

# Packed files are read with these.
find_path(HASA_ZLIB_INCLUDE zlib.h REQUIRED)
find_path(HASA_ZSTD_INCLUDE zstd.h REQUIRED)
add_library(hasa_packers INTERFACE)
hasa_system_library(hasa_packers ZSTD ${HASA_ZSTD_INCLUDE} zstd)
hasa_system_library(hasa_packers ZLIB ${HASA_ZLIB_INCLUDE} z)

# serd reads Turtle. The distributions have it as a shared library alone, so a program that is to be carried to a
# machine without it is built with -DHASA_TURTLE=OFF.
find_path(HASA_SERD_INCLUDE serd/serd.h PATH_SUFFIXES serd-0)
find_library(HASA_SERD_LIBRARY NAMES libserd-0.a serd-0)
if(HASA_SERD_INCLUDE AND HASA_SERD_LIBRARY)
  set(found_serd ON)
else()
  set(found_serd OFF)
endif()
option(HASA_TURTLE "Read Turtle, with serd" ${found_serd})
add_library(hasa_rdf INTERFACE)
if(HASA_TURTLE)
  target_include_directories(hasa_rdf SYSTEM INTERFACE ${HASA_SERD_INCLUDE})
  target_link_libraries(hasa_rdf INTERFACE ${HASA_SERD_LIBRARY})
  target_compile_definitions(hasa_rdf INTERFACE HASA_SERD)
endif()

# FAISS indexes the vectors of large graphs. It comes as an archive that takes its products from LibTorch's own MKL
# (serve/faiss_lapack.cpp): never name the distribution's BLAS on a link line, it would take over LibTorch's.
find_path(HASA_FAISS_INCLUDE faiss/IndexIVFFlat.h)
find_library(HASA_FAISS_LIBRARY NAMES libfaiss.a)
if(HASA_FAISS_INCLUDE AND HASA_FAISS_LIBRARY)
  set(found_faiss ON)
else()
  set(found_faiss OFF)
endif()
option(HASA_FAISS "Approximate indexes of entities, with FAISS" ${found_faiss})

# Several processes talk through c10d, which LibTorch has; the headers of its Gloo it has not.
find_path(HASA_GLOO_INCLUDE gloo/algorithm.h)
if(HASA_GLOO_INCLUDE)
  set(found_gloo ON)
else()
  set(found_gloo OFF)
endif()
option(HASA_DIST "Train, evaluate and encode in several processes, with c10d" ${found_gloo})

# torch carries headers of another fmt, which would be found first among the system's: this folder comes before both.
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/include")
file(CREATE_LINK "${HASA_FMT_INCLUDE}/fmt" "${CMAKE_BINARY_DIR}/include/fmt" SYMBOLIC)

# fmt is compiled once from its headers: see fmt_runtime.cpp. Measured on one small file: 2.7 s as headers alone, 0.4 s so.
add_library(hasa_fmt STATIC "${CMAKE_SOURCE_DIR}/cmake/fmt_runtime.cpp")
target_include_directories(hasa_fmt PUBLIC "${CMAKE_BINARY_DIR}/include")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(hasa_fmt PRIVATE -fkeep-inline-functions)
else()
  target_compile_options(hasa_fmt PRIVATE -O1 -fno-inline -fno-sanitize=all "SHELL:-Xclang -mno-constructor-aliases")
endif()
