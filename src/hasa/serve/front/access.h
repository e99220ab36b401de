#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/http/message.h"

namespace hasa {

/// A secret that clients show. Kept as its hash, and compared in a time that says nothing about it.
class Token {
 public:
  explicit Token(std::string_view secret);
  /// The first line of a file. Throws config where it is empty or holds spaces, data where there is no file; warns
  /// where others may read it.
  static Token from_file(const std::filesystem::path& path);
  bool is(std::string_view shown) const;

 private:
  std::string hash_;
};

struct AccessOptions {
  std::optional<Token> read, write;
  std::vector<std::string> hosts;    // names this server goes by, beside addresses and localhost
  std::vector<std::string> origins;  // "https://app.example": pages of other servers that may ask this one
};

/// What a route needs.
enum class Needs { nothing, reading, writing };

/// Who may ask what. Every check throws Problem.
///
/// A page of any web site can make a browser send requests to a server on the same machine. So a request that a browser
/// marks as another site's is refused (Origin, Sec-Fetch-Site), and so is one for a Host that this server was not told
/// it goes by: a name that an attacker's DNS lets point here would otherwise count as the same site. An address, or
/// localhost, is nobody's to point anywhere.
class Access {
 public:
  explicit Access(AccessOptions options);

  /// Host and Origin.
  void check_browser(const HttpRequest& request) const;
  void check_token(const HttpRequest& request, Needs needs) const;

 private:
  void check_host(const HttpRequest& request) const;
  void check_site(const HttpRequest& request) const;

  AccessOptions options_;
};

}  // namespace hasa
