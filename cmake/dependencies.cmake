# System packages. fmt, spdlog, CLI11 and nlohmann-json are used as headers and yaml-cpp as an archive, so
# that the program needs none of them at run time and can be carried to another machine.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_path(HASA_JSON_INCLUDE nlohmann/json.hpp REQUIRED)
find_path(HASA_SPDLOG_INCLUDE spdlog/spdlog.h REQUIRED)
find_path(HASA_CLI11_INCLUDE CLI/CLI.hpp REQUIRED)
find_path(HASA_YAML_INCLUDE yaml-cpp/yaml.h REQUIRED)
find_library(HASA_YAML_LIBRARY NAMES libyaml-cpp.a yaml-cpp REQUIRED)

add_library(hasa_yaml INTERFACE)
target_include_directories(hasa_yaml SYSTEM INTERFACE ${HASA_YAML_INCLUDE})
target_link_libraries(hasa_yaml INTERFACE ${HASA_YAML_LIBRARY})
