#include "hasa/serve/change.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hasa/base/error.h"
#include "hasa/base/shown_text.h"
#include "hasa/base/utf8.h"

namespace hasa {
namespace {

constexpr std::size_t kLongestId = 1024;
constexpr std::size_t kLongestName = 4096;
constexpr std::size_t kLongestDescription = 65536;
constexpr std::size_t kShownLength = 60;

/// The texts of a change, in the order of its members: f(text, ...).
template <class C, class F>
decltype(auto) with_texts(C& change, const F& f) {
  using T = std::remove_const_t<C>;
  if constexpr (std::is_same_v<T, PutEntity>) {
    return f(change.id, change.name, change.description);
  } else if constexpr (std::is_same_v<T, DeleteEntity>) {
    return f(change.id);
  } else {
    return f(change.head, change.relation, change.tail);
  }
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

void check_text(const char* what, std::string_view text, std::size_t longest, bool one_line) {
  HASA_CHECK(text.size() <= longest, config, "{} of {} bytes; at most {} are taken", what, text.size(), longest);
  HASA_CHECK(find_invalid_utf8(text) == std::string_view::npos, config, "{} \"{}\" is not UTF-8", what,
             shown(text, kShownLength));
  HASA_CHECK(!one_line || std::none_of(text.begin(), text.end(), is_control), config,
             "{} \"{}\" has a control character; it must be one line of text", what, shown(text, kShownLength));
}

void check_id(const char* what, std::string_view id) {
  HASA_CHECK(!id.empty(), config, "{} is empty", what);
  check_text(what, id, kLongestId, /*one_line=*/true);
}

std::string_view taken_text(std::string_view& record) {
  std::uint32_t length = 0;
  HASA_CHECK(record.size() >= sizeof length, data, "a change in the journal ends too early");
  std::memcpy(&length, record.data(), sizeof length);
  record.remove_prefix(sizeof length);
  HASA_CHECK(record.size() >= length, data, "a change in the journal ends too early");
  const std::string_view text = record.substr(0, length);
  record.remove_prefix(length);
  return text;
}

template <std::size_t kKind = 0>
Change change_of_kind(std::size_t kind) {
  if constexpr (kKind < std::variant_size_v<Change>) {
    return kind == kKind ? Change(std::in_place_index<kKind>) : change_of_kind<kKind + 1>(kind);
  } else {
    fail(ErrorKind::data, "a change in the journal is of kind {}, which this program does not know", kind);
  }
}

}  // namespace

void check_form(const Change& change) {
  if (const auto* put = std::get_if<PutEntity>(&change)) {
    check_id("the id of an entity", put->id);
    check_text("the name", put->name, kLongestName, /*one_line=*/true);
    check_text("the description", put->description, kLongestDescription, /*one_line=*/false);
  }
}

std::string to_record(const Change& change) {
  std::string record(1, static_cast<char>(change.index()));
  const auto append = [&](const auto&... texts) {
    for (const std::string_view text : {std::string_view(texts)...}) {
      const auto length = static_cast<std::uint32_t>(text.size());
      record.append(reinterpret_cast<const char*>(&length), sizeof length);
      record.append(text);
    }
  };
  std::visit([&](const auto& each) { with_texts(each, append); }, change);
  return record;
}

Change change_from(std::string_view record) {
  HASA_CHECK(!record.empty(), data, "a change in the journal is empty");
  Change change = change_of_kind(static_cast<std::size_t>(record.front()));
  record.remove_prefix(1);
  const auto read = [&](auto&... texts) { ((texts = taken_text(record)), ...); };
  std::visit([&](auto& each) { with_texts(each, read); }, change);
  HASA_CHECK(record.empty(), data, "a change in the journal has {} bytes too many", record.size());
  return change;
}

}  // namespace hasa
