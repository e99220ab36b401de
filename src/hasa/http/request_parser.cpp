#include "hasa/http/request_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "hasa/base/number_in.h"
#include "hasa/base/shown_text.h"

namespace hasa {
namespace {

constexpr std::size_t kLongestMethod = 16;
constexpr std::size_t kLongestChunkLine = 256;
constexpr std::size_t kMostHeaders = 100;
constexpr std::size_t kShownOfAWord = 40;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string in_lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

/// What RFC 9110 calls a token: methods and header names.
bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || kMarks.find(c) != std::string_view::npos;
  });
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::size_t HttpRequestParser::feed(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size() && (state_ == State::head || state_ == State::body)) {
    used += state_ == State::head ? feed_head(bytes.substr(used)) : feed_body(bytes.substr(used));
  }
  return used;
}

bool HttpRequestParser::take_expects_continue() { return std::exchange(expects_continue_, false); }

HttpRequest HttpRequestParser::take() {
  HttpRequest request = std::move(request_);
  *this = HttpRequestParser(limits_);
  return request;
}

std::size_t HttpRequestParser::feed_head(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (c == '\0' || (c == '\n' && !head_.ends_with('\r')) || (c != '\n' && head_.ends_with('\r'))) {
      fail_with(400, c == '\0' ? "a NUL in the head of the request" : "lines of a request end in CR LF");
      return i + 1;
    }
    head_ += c;
    if (head_ == "\r\n") {
      // Some clients send it after a body.
      if (std::exchange(passed_empty_line_, true)) fail_with(400, "empty lines before the request");
      head_.clear();
      if (state_ == State::faulty) return i + 1;
    }
    if (head_.size() > limits_.head_bytes) {
      fail_with(413, fmt::format("request line and headers are longer than {} bytes", limits_.head_bytes));
      return i + 1;
    }
    if (c == '\n' && head_.ends_with("\r\n\r\n")) {
      read_head();
      return i + 1;
    }
  }
  return bytes.size();
}

void HttpRequestParser::read_head() {
  state_ = State::complete;  // unless a body or a fault is found below
  std::string_view rest(head_);
  rest.remove_suffix(2);  // the empty line
  for (bool first = true; !rest.empty() && state_ != State::faulty; first = false) {
    const std::string_view line = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(line.size() + 2);
    first ? read_request_line(line) : read_header(line);
  }
  if (state_ != State::faulty) understand_headers();
  head_.clear();
}

void HttpRequestParser::read_request_line(std::string_view line) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return fail_with(400, fmt::format("expected METHOD TARGET HTTP/1.1, found \"{}\"", shown(line, kShownOfAWord)));
  }
  const std::string_view method = line.substr(0, first), version = line.substr(last + 1);
  if (!is_token(method) || method.size() > kLongestMethod) return fail_with(400, "the method is not a word");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return fail_with(400, fmt::format("expected HTTP/1.1, found \"{}\"", shown(version, kShownOfAWord)));
  }
  is_http_1_0_ = version == "HTTP/1.0";
  request_.method = method;
  request_.keep_alive = !is_http_1_0_;
  read_target(line.substr(first + 1, last - first - 1));
}

void HttpRequestParser::read_target(std::string_view target) {
  if (std::any_of(target.begin(), target.end(), [](char c) { return is_control(c) || c == ' '; })) {
    return fail_with(400, "a space or control character in the target; write it as %20");
  }
  if (in_lower_case(target.substr(0, 7)) == "http://") {
    target.remove_prefix(7);
    authority_ = target.substr(0, target.find_first_of("/?"));
    if (authority_.empty()) return fail_with(400, "the target names no host");
    target.remove_prefix(authority_.size());
    if (!target.starts_with('/')) return fail_with(400, "the target has no path");
  }
  if (!target.starts_with('/')) {
    return fail_with(400, fmt::format("expected a path, found \"{}\"", shown(target, kShownOfAWord)));
  }
  target = target.substr(0, target.find('#'));
  request_.path = target.substr(0, target.find('?'));
  if (request_.path.size() < target.size()) request_.query = target.substr(request_.path.size() + 1);
}

void HttpRequestParser::read_header(std::string_view line) {
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  if (colon == std::string_view::npos || !is_token(name)) {
    return fail_with(400, fmt::format("expected \"Name: value\", found \"{}\"", shown(line, kShownOfAWord)));
  }
  const std::string_view value = without_blanks(line.substr(colon + 1));
  if (std::any_of(value.begin(), value.end(), [](char c) { return is_control(c) && c != '\t'; })) {
    return fail_with(400, fmt::format("a control character in the header {}", name));
  }
  if (request_.headers.size() == kMostHeaders) {
    return fail_with(413, fmt::format("more than {} headers", kMostHeaders));
  }
  request_.headers.push_back({in_lower_case(name), std::string(value)});
}

void HttpRequestParser::understand_headers() {
  constexpr const char* kOnce[] = {"host", "content-length", "transfer-encoding", "authorization", "origin"};
  for (const char* name : kOnce) {
    const auto is_it = [&](const HttpHeader& header) { return header.name == name; };
    if (std::count_if(request_.headers.begin(), request_.headers.end(), is_it) > 1) {
      return fail_with(400, fmt::format("the header {} stands more than once", name));
    }
  }
  for (HttpHeader& header : request_.headers) {
    if (header.name == "connection") understand_connection(header.value);
    if (header.name == "host" && !authority_.empty()) header.value = authority_;
    if (header.name == "expect") {
      if (in_lower_case(header.value) != "100-continue") return fail_with(400, "an Expect that is not 100-continue");
      expects_continue_ = !is_http_1_0_;
    }
  }
  if (!is_http_1_0_ && request_.header("host") == nullptr) return fail_with(400, "HTTP/1.1 asks for a Host header");
  understand_length();
  if (state_ != State::body) expects_continue_ = false;
}

void HttpRequestParser::understand_connection(std::string_view value) {
  while (!value.empty()) {
    const std::string_view part = value.substr(0, value.find(','));
    value.remove_prefix(std::min(value.size(), part.size() + 1));
    const std::string word = in_lower_case(without_blanks(part));
    if (word == "close") request_.keep_alive = false;
    if (word == "keep-alive" && is_http_1_0_) request_.keep_alive = true;
  }
}

void HttpRequestParser::understand_length() {
  const std::string* length = request_.header("content-length");
  const std::string* coding = request_.header("transfer-encoding");
  if (coding != nullptr) {
    if (length != nullptr) return fail_with(400, "both Content-Length and Transfer-Encoding");
    if (is_http_1_0_ || in_lower_case(*coding) != "chunked") {
      return fail_with(400, "a Transfer-Encoding that is not chunked; send the body as it is");
    }
    state_ = State::body;
    body_ = Body::chunk_size;
  } else if (length != nullptr) {
    const bool digits =
        !length->empty() && std::all_of(length->begin(), length->end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits) return fail_with(400, "a Content-Length that is not a number");
    const auto count = number_in<std::uint64_t>(*length);
    if (!count || *count > limits_.body_bytes) return refuse_body();
    if (*count == 0) return;
    remaining_ = *count;
    state_ = State::body;
    body_ = Body::counted;
  }
}

std::size_t HttpRequestParser::feed_body(std::string_view bytes) {
  if (body_ == Body::counted || body_ == Body::chunk) {
    const std::size_t taken = std::min<std::uint64_t>(remaining_, bytes.size());
    request_.body.append(bytes.substr(0, taken));
    remaining_ -= taken;
    if (remaining_ == 0 && body_ == Body::counted) state_ = State::complete;
    if (remaining_ == 0 && body_ == Body::chunk) body_ = Body::chunk_end;
    return taken;
  }
  if (!feed_line(bytes.front()) || state_ == State::faulty) return 1;
  if (body_ == Body::chunk_size) {
    read_chunk_size();
  } else if (body_ == Body::chunk_end) {
    if (!line_.empty()) fail_with(400, "a chunk is longer than it says");
    body_ = Body::chunk_size;
  } else if (line_.empty()) {  // the trailers end
    state_ = State::complete;
  }
  line_.clear();
  return 1;
}

bool HttpRequestParser::feed_line(char c) {
  if ((c == '\n') != line_.ends_with('\r')) {
    fail_with(400, "lines of a chunked body end in CR LF");
    return false;
  }
  if (c == '\n') {
    line_.pop_back();
    return true;
  }
  if (is_control(c) && c != '\r' && c != '\t') {
    fail_with(400, "a control character between chunks");
    return false;
  }
  line_ += c;
  const std::size_t most = body_ == Body::trailers ? limits_.head_bytes : kLongestChunkLine;
  if (line_.size() > most || ++trailer_bytes_ > limits_.head_bytes + 8 * limits_.body_bytes) {
    fail_with(413, "the lines between chunks are too long");
  }
  return false;
}

void HttpRequestParser::read_chunk_size() {
  const std::string_view size = without_blanks(std::string_view(line_).substr(0, line_.find(';')));
  const auto [end, problem] = std::from_chars(size.data(), size.data() + size.size(), remaining_, 16);
  if (problem == std::errc::result_out_of_range) return refuse_body();
  if (problem != std::errc() || end != size.data() + size.size()) {
    return fail_with(400, "expected the size of a chunk in hexadecimal");
  }
  if (remaining_ > limits_.body_bytes - request_.body.size()) return refuse_body();
  body_ = remaining_ == 0 ? Body::trailers : Body::chunk;
}

void HttpRequestParser::refuse_body() {
  fail_with(413, fmt::format("the body is longer than {} bytes; send it in parts", limits_.body_bytes));
}

void HttpRequestParser::fail_with(int status, std::string message) {
  state_ = State::faulty;
  expects_continue_ = false;
  fault_ = {status, std::move(message)};
}

}  // namespace hasa
