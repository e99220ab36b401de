#pragma once

// Helpers shared by the *_test.cpp files; never included by the library.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "hasa/base/error.h"

/// Expects the statement to throw a hasa::Error whose message contains the text.
#define EXPECT_ERROR(statement, text)                                   \
  try {                                                                 \
    (void)(statement);                                                  \
    ADD_FAILURE() << "expected an error containing: " << (text);        \
  } catch (const ::hasa::Error& error) {                                \
    EXPECT_THAT(std::string(error.what()), ::testing::HasSubstr(text)); \
  }

namespace hasa::testing {

/// A temporary folder for one test.
class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "hasa-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Folders that tests look for outside the repository. Each is an environment variable, set by the test
/// command where the folder is there; a test that needs one calls the macro below.
inline std::optional<std::filesystem::path> folder_from_env(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0' || !std::filesystem::exists(value)) return std::nullopt;
  return std::filesystem::path(value);
}

}  // namespace hasa::testing

// A declared name cannot stand in parentheses. NOLINTBEGIN(bugprone-macro-parentheses)

/// Declares `name` as a folder, or skips the test and says what is missing. HASA_DATA holds the
/// benchmark graphs, HASA_MINILM and HASA_BERT are language-model folders.
#define HASA_NEEDS_FOLDER(name, variable)                                                            \
  const auto name##_if_there = ::hasa::testing::folder_from_env(variable);                           \
  if (!name##_if_there) GTEST_SKIP() << variable " is not set to a folder: this test reads from it"; \
  const std::filesystem::path& name = *name##_if_there

// NOLINTEND(bugprone-macro-parentheses)
