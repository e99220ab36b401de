#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings.h"
#include "hasa/base/error.h"
#include "hasa/text/word_piece.h"

namespace nb = nanobind;

namespace hasa::python {

namespace {

/// Hands a vector to Python as a memoryview: NumPy and torch read it in place, and neither has to be there.
template <class T>
nb::ndarray<nb::memview, T, nb::ndim<1>> to_view(std::vector<T>&& values) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = owned->data();
  const std::size_t size = owned->size();
  nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {data, {size}, owner};
}

/// The UTF-8 of each string, which Python keeps as long as the list keeps the string.
std::vector<std::string_view> utf8_of(const nb::list& texts) {
  std::vector<std::string_view> views;
  views.reserve(texts.size());
  for (const nb::handle text : texts) {
    Py_ssize_t size = 0;
    const char* const data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (data == nullptr) nb::raise_python_error();
    views.emplace_back(data, static_cast<std::size_t>(size));
  }
  return views;
}

auto encode_batch(const WordPiece& tokenizer, const nb::list& texts, std::optional<std::size_t> max_length) {
  const std::size_t length = max_length.value_or(kNoLimit);
  HASA_CHECK(length >= 2, config, "max_length {} has no room for [CLS] and [SEP]", length);
  const std::vector<std::string_view> views = utf8_of(texts);
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> offsets{0};
  offsets.reserve(views.size() + 1);
  {
    // The strings cannot go while other threads run: the list is held by the caller's frame.
    const nb::gil_scoped_release released;
    for (const std::string_view text : views) {
      ids.push_back(tokenizer.cls_id());
      tokenizer.encode(text, ids, length - 2, SpecialTokens::recognised);
      ids.push_back(tokenizer.sep_id());
      offsets.push_back(static_cast<std::int64_t>(ids.size()));
    }
  }
  return std::pair(to_view(std::move(ids)), to_view(std::move(offsets)));
}

}  // namespace

void bind_tokenizer(nb::module_& module) {
  nb::class_<WordPiece>(module, "Tokenizer", "The WordPiece tokenizer of a language model's folder.")
      .def(
          "__init__",
          [](WordPiece* self, const std::filesystem::path& folder) { new (self) WordPiece(WordPiece::load(folder)); },
          nb::arg("folder"))
      .def(
          "encode_batch",
          [](const WordPiece& self, const nb::list& texts, std::optional<std::size_t> max_length) {
            auto [ids, offsets] = encode_batch(self, texts, max_length);
            return nb::make_tuple(ids, offsets);
          },
          nb::arg("texts"), nb::arg("max_length") = nb::none(),
          "The ids of all texts end to end, each with [CLS] and [SEP] (int32), and where each text begins (int64, "
          "one more than texts): text i is ids[offsets[i]:offsets[i + 1]].")
      .def_prop_ro("vocab_size", &WordPiece::vocab_size)
      .def_prop_ro("cls_id", &WordPiece::cls_id)
      .def_prop_ro("sep_id", &WordPiece::sep_id)
      .def_prop_ro("unk_id", &WordPiece::unk_id)
      .def_prop_ro("pad_id", &WordPiece::pad_id);
}

}  // namespace hasa::python
