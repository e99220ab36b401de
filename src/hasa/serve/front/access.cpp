#include "hasa/serve/front/access.h"

#include <arpa/inet.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "hasa/base/file.h"
#include "hasa/base/log.h"
#include "hasa/base/sha256.h"
#include "hasa/base/shown_text.h"
#include "hasa/serve/front/problem.h"

namespace hasa {
namespace {

constexpr std::size_t kShownOfAHost = 60;
constexpr std::size_t kLongestToken = 4096;

std::string in_lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

/// "[::1]:8080" -> "::1", "Example.org.:80" -> "example.org"
std::string host_of(std::string_view authority) {
  if (authority.starts_with('[')) return in_lower_case(authority.substr(1, authority.find(']') - 1));
  std::string host = in_lower_case(authority.substr(0, authority.rfind(':')));
  if (host.ends_with('.')) host.pop_back();
  return host;
}

bool is_address(const std::string& host) {
  std::array<char, sizeof(in6_addr)> address = {};
  return ::inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

/// "http://here:80" -> "here": what a browser leaves out of Host, too. "" for what is no origin, such as "null".
std::string authority_of(std::string_view origin) {
  for (const auto& [scheme, port] :
       {std::pair<std::string_view, std::string_view>{"http://", ":80"}, {"https://", ":443"}}) {
    if (!origin.starts_with(scheme)) continue;
    origin.remove_prefix(scheme.size());
    if (origin.ends_with(port)) origin.remove_suffix(port.size());
    return in_lower_case(origin);
  }
  return "";
}

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

void warn_where_others_may_read(const std::filesystem::path& path) {
  struct stat about = {};
  if (::stat(path.c_str(), &about) != 0 || (about.st_mode & (S_IRGRP | S_IROTH)) == 0) return;
  log_warning("{} holds a token, and other users may read it; chmod 600 would keep it to you", path.string());
}

}  // namespace

Token::Token(std::string_view secret) : hash_(sha256(secret)) {}

Token Token::from_file(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  const std::string line = text.substr(0, text.find_first_of("\r\n"));
  HASA_CHECK(!line.empty(), config, "{} holds no token: expected one in its first line", path.string());
  HASA_CHECK(
      line.size() <= kLongestToken && std::all_of(line.begin(), line.end(), [](char c) { return c > ' ' && c < 0x7F; }),
      config, "{} holds no token: expected printable ASCII without spaces\nhead -c 32 /dev/urandom | base64 makes one",
      path.string());
  warn_where_others_may_read(path);
  return Token(line);
}

bool Token::is(std::string_view shown) const {
  const std::string hash = sha256(shown);
  unsigned difference = 0;
  for (std::size_t i = 0; i < hash.size(); ++i) difference |= static_cast<unsigned>(hash[i] ^ hash_[i]);
  return difference == 0;
}

Access::Access(AccessOptions options) : options_(std::move(options)) {
  for (std::string& host : options_.hosts) host = host_of(host);
  for (std::string& origin : options_.origins) origin = in_lower_case(origin);
}

void Access::check_browser(const HttpRequest& request) const {
  check_host(request);
  check_site(request);
}

void Access::check_host(const HttpRequest& request) const {
  const std::string* header = request.header("host");
  if (header == nullptr) return;  // HTTP/1.0, which no browser speaks
  const std::string host = host_of(*header);
  if (host == "localhost" || is_address(host) || contains(options_.hosts, host)) return;
  refuse(ProblemKind::forbidden,
         "this server does not go by the name \"{}\"; name it with --allow-host when it starts, or use its address",
         shown(host, kShownOfAHost));
}

void Access::check_site(const HttpRequest& request) const {
  const std::string* origin = request.header("origin");
  if (origin != nullptr) {
    if (contains(options_.origins, in_lower_case(*origin))) return;
    const std::string* host = request.header("host");
    const std::string authority = authority_of(*origin);
    if (authority.empty() || host == nullptr || authority != authority_of("http://" + in_lower_case(*host))) {
      refuse(ProblemKind::forbidden,
             "a page of {} may not ask this server; --allow-origin names an origin under which a proxy shows it",
             shown(*origin, kShownOfAHost));
    }
    return;
  }
  const std::string* site = request.header("sec-fetch-site");
  const std::string* mode = request.header("sec-fetch-mode");
  const bool others = site != nullptr && (*site == "cross-site" || *site == "same-site");
  const bool follows_link = mode != nullptr && *mode == "navigate" && request.method == "GET";
  if (others && !follows_link) refuse(ProblemKind::forbidden, "a page of another site may not ask this server");
}

void Access::check_token(const HttpRequest& request, Needs needs) const {
  if (needs == Needs::nothing) return;
  const bool writes = needs == Needs::writing;
  // Where reading takes a token, writing without one would be absurd.
  const bool open = writes ? !options_.write && !options_.read : !options_.read;
  if (open) return;
  if (writes && !options_.write) {
    refuse(ProblemKind::unauthorised, "this server takes no changes; --write-token-file would allow them");
  }
  constexpr std::string_view kBearer = "bearer ";
  const std::string* header = request.header("authorization");
  if (header == nullptr || in_lower_case(header->substr(0, kBearer.size())) != kBearer) {
    refuse(ProblemKind::unauthorised, "send the token to {} in the header Authorization: Bearer TOKEN",
           writes ? "write" : "read");
  }
  const std::string_view token = std::string_view(*header).substr(kBearer.size());
  // Both are compared whatever the first one says: who may write may read.
  const bool may_write = options_.write && options_.write->is(token);
  const bool may_read = options_.read && options_.read->is(token);
  if (may_write || (may_read && !writes)) return;
  refuse(ProblemKind::unauthorised, "{}",
         may_read ? "this token reads only, and this request writes" : "this token is not known here");
}

}  // namespace hasa
