#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hasa {

/// A file of the page, as it is sent.
struct PageFile {
  std::string_view path;  // "/", "/page/main.js"
  std::string_view type;  // of its content
  std::string text;
};

/// The page that explores a run: plain files, built into the program. They hold nothing of the run, which the page asks
/// the API of its own server for; so they need no token, and one that is wanted is typed into the page.
std::span<const PageFile> page_files();

/// What the page may do (Content-Security-Policy), to be sent with each of the files: run its own scripts and styles,
/// ask its own server, and nothing else; no text can become markup.
extern const std::string_view kPagePolicy;

}  // namespace hasa
