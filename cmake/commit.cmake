# hasa::commit() lives in a file of its own, looked at in every build and rewritten when the commit or the
# cleanness of the tree has changed: then that file compiles and the programs link, nothing more.
#
# Included, it declares the library hasa_commit; run as a script (-P), it writes the file OUT.
if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(COMMAND git describe --always --dirty --abbrev=12 --exclude=* WORKING_DIRECTORY "${ROOT}"
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(commit "unknown")
    # Sources without their repository, as in an archive or a container, may say where they come from.
    if(NOT "$ENV{HASA_COMMIT}" STREQUAL "")
      set(commit "$ENV{HASA_COMMIT}")
    endif()
  endif()
  file(CONFIGURE OUTPUT "${OUT}" CONTENT [[
namespace hasa {
const char* commit();
const char* commit() { return "@commit@"; }
}  // namespace hasa
]] @ONLY)
else()
  add_custom_target(hasa_commit_file BYPRODUCTS "${CMAKE_BINARY_DIR}/commit.cpp"
    COMMAND ${CMAKE_COMMAND} -D ROOT=${CMAKE_SOURCE_DIR} -D OUT=${CMAKE_BINARY_DIR}/commit.cpp -P ${CMAKE_CURRENT_LIST_FILE}
    COMMENT "Noting the commit" VERBATIM)
  add_library(hasa_commit STATIC "${CMAKE_BINARY_DIR}/commit.cpp")
  add_dependencies(hasa_commit hasa_commit_file)
endif()
