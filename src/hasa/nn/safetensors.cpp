#include "hasa/nn/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/nearest.h"

namespace hasa {
namespace {

// What the Python package allows as well. A header of real models is well under one megabyte.
constexpr std::uint64_t kLongestHeader = 100'000'000;
constexpr std::size_t kMostDimensions = 16;

struct ElementName {
  ElementType type;
  const char* name;
  std::size_t size;
};
constexpr std::array<ElementName, 13> kElements = {{{ElementType::f64, "F64", 8},
                                                    {ElementType::f32, "F32", 4},
                                                    {ElementType::f16, "F16", 2},
                                                    {ElementType::bf16, "BF16", 2},
                                                    {ElementType::i64, "I64", 8},
                                                    {ElementType::i32, "I32", 4},
                                                    {ElementType::i16, "I16", 2},
                                                    {ElementType::i8, "I8", 1},
                                                    {ElementType::u64, "U64", 8},
                                                    {ElementType::u32, "U32", 4},
                                                    {ElementType::u16, "U16", 2},
                                                    {ElementType::u8, "U8", 1},
                                                    {ElementType::boolean, "BOOL", 1}}};

std::optional<ElementType> parse_element(std::string_view name) {
  for (const ElementName& element : kElements) {
    if (element.name == name) return element.type;
  }
  return std::nullopt;
}

/// Bytes of a tensor, or nothing when the product passes 2^63.
std::optional<std::uint64_t> tensor_bytes(ElementType type, std::span<const std::int64_t> shape) {
  std::uint64_t count = element_size(type);
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(extent), &count)) return std::nullopt;
  }
  if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  return count;
}

struct HeaderEntry {
  std::string name;
  std::optional<ElementType> type;
  std::optional<std::vector<std::int64_t>> shape;
  std::optional<std::vector<std::int64_t>> offsets;
};

/// Takes the header's JSON piece by piece and accepts nothing but its one form:
///   { name: {"dtype": string, "shape": [n...], "data_offsets": [begin, end]}..., "__metadata__": {string: string} }
/// A document tree is never built, so depth and duplicate names are seen as they come.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(const std::string& origin) : origin_(origin) {}

  std::vector<HeaderEntry> entries;
  std::map<std::string, std::string> metadata;

  bool start_object(std::size_t) override {
    if (depth_ == 0 || (depth_ == 1 && !in_array_)) {
      ++depth_;
      return true;
    }
    refuse("an object where a value was expected");
  }
  bool end_object() override {
    if (--depth_ == 1) {
      finish_entry();
      in_metadata_ = false;
    }
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ != 2 || in_metadata_ || in_array_ || (field_ != "shape" && field_ != "data_offsets")) {
      refuse("an array where a value was expected");
    }
    in_array_ = true;
    numbers_.clear();
    return true;
  }
  bool end_array() override {
    in_array_ = false;
    (field_ == "shape" ? entries.back().shape : entries.back().offsets) = numbers_;
    return true;
  }
  bool key(std::string& name) override {
    if (depth_ == 1) {
      if (!names_.insert(name).second) fail(ErrorKind::data, "{}: tensor {} appears twice", origin_, name);
      in_metadata_ = name == "__metadata__";
      entry_open_ = !in_metadata_;
      if (entry_open_) entries.push_back({name, {}, {}, {}});
    } else if (!in_metadata_) {
      check_field(name);
    }
    field_ = name;
    return true;
  }
  bool string(std::string& value) override {
    if (depth_ == 2 && in_metadata_) {
      if (!metadata.emplace(field_, value).second) refuse(fmt::format("\"{}\" twice in __metadata__", field_));
      return true;
    }
    if (depth_ != 2 || in_array_ || field_ != "dtype") refuse("a string where none was expected");
    entries.back().type = parse_element(value);
    if (!entries.back().type) {
      fail(ErrorKind::data, "{}: tensor {} has the unknown element type \"{}\"", origin_, entries.back().name, value);
    }
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (!in_array_) refuse("a number where none was expected");
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) refuse("a number too large");
    if (numbers_.size() == kMostDimensions) refuse(fmt::format("more than {} numbers in {}", kMostDimensions, field_));
    numbers_.push_back(static_cast<std::int64_t>(value));
    return true;
  }
  bool null() override { refuse("null"); }
  bool boolean(bool) override { refuse("a truth value"); }
  bool number_integer(number_integer_t) override { refuse("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { refuse("a number with a fraction"); }
  bool binary(binary_t&) override { refuse("binary data"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    fail(ErrorKind::data, "{}: the header is not valid JSON at byte {}", origin_, position);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    fail(ErrorKind::data, "{}: the header has {}{}", origin_, what,
         entries.empty() ? std::string() : fmt::format(", at tensor {}", entries.back().name));
  }
  void check_field(const std::string& name) const {
    const HeaderEntry& entry = entries.back();
    const bool twice = (name == "dtype" && entry.type) || (name == "shape" && entry.shape) ||
                       (name == "data_offsets" && entry.offsets);
    if (twice) refuse(fmt::format("the field {} twice", name));
    if (name != "dtype" && name != "shape" && name != "data_offsets")
      refuse(fmt::format("an unknown field \"{}\"", name));
  }
  void finish_entry() {
    if (!entry_open_) return;
    const HeaderEntry& entry = entries.back();
    HASA_CHECK(entry.type && entry.shape && entry.offsets, data, "{}: tensor {} lacks {}", origin_, entry.name,
               !entry.type    ? "dtype"
               : !entry.shape ? "shape"
                              : "data_offsets");
    entry_open_ = false;
  }

  const std::string& origin_;
  int depth_ = 0;
  bool in_metadata_ = false;
  bool in_array_ = false;
  bool entry_open_ = false;
  std::string field_;
  std::vector<std::int64_t> numbers_;
  std::set<std::string> names_;
};

StoredTensor place(const HeaderEntry& entry, std::span<const std::byte> data, const std::string& origin) {
  const std::vector<std::int64_t>& offsets = *entry.offsets;
  HASA_CHECK(offsets.size() == 2 && offsets[0] <= offsets[1], data, "{}: tensor {} has malformed data_offsets", origin,
             entry.name);
  HASA_CHECK(static_cast<std::uint64_t>(offsets[1]) <= data.size(), data,
             "{}: tensor {} ends at byte {} of {}: the file is cut short or damaged", origin, entry.name, offsets[1],
             data.size());
  const auto size = static_cast<std::uint64_t>(offsets[1] - offsets[0]);
  const auto expected = tensor_bytes(*entry.type, *entry.shape);
  HASA_CHECK(expected && *expected == size, data, "{}: tensor {} of {} {} has {} bytes of data", origin, entry.name,
             to_string(*entry.type), format_shape(*entry.shape), size);
  return {*entry.type, *entry.shape, data.subspan(static_cast<std::size_t>(offsets[0]), size)};
}

/// The data must be covered once and wholly: what lies between tensors could hide anything.
void check_coverage(const std::vector<HeaderEntry>& entries, std::size_t data_size, const std::string& origin) {
  std::vector<const HeaderEntry*> by_offset;
  by_offset.reserve(entries.size());
  for (const HeaderEntry& entry : entries) by_offset.push_back(&entry);
  std::sort(by_offset.begin(), by_offset.end(),
            [](const HeaderEntry* a, const HeaderEntry* b) { return *a->offsets < *b->offsets; });
  std::int64_t end = 0;
  for (const HeaderEntry* entry : by_offset) {
    const std::int64_t begin = (*entry->offsets)[0];
    HASA_CHECK(begin == end, data, "{}: tensor {} begins at byte {} of the data, {} byte {}", origin, entry->name,
               begin, begin < end ? "overlapping the one before it, which ends at" : "leaving a hole after", end);
    end = (*entry->offsets)[1];
  }
  HASA_CHECK(static_cast<std::uint64_t>(end) == data_size, data, "{}: {} bytes after the last tensor", origin,
             data_size - static_cast<std::uint64_t>(end));
}

}  // namespace

const char* to_string(ElementType type) { return kElements[static_cast<std::size_t>(type)].name; }
std::size_t element_size(ElementType type) { return kElements[static_cast<std::size_t>(type)].size; }

std::string format_shape(std::span<const std::int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", "));
}

SafeTensors SafeTensors::open(const std::filesystem::path& path) {
  SafeTensors result;
  result.file_ = MappedFile(path);
  result.origin_ = path.string();
  result.read(result.file_.bytes());
  return result;
}

SafeTensors SafeTensors::parse(std::span<const std::byte> bytes, std::string origin) {
  SafeTensors result;
  result.origin_ = std::move(origin);
  result.read(bytes);
  return result;
}

void SafeTensors::read(std::span<const std::byte> bytes) {
  std::uint64_t header_size = 0;
  HASA_CHECK(bytes.size() >= sizeof header_size, data, "{}: {} bytes are too few for a safetensors file", origin_,
             bytes.size());
  std::memcpy(&header_size, bytes.data(), sizeof header_size);
  const std::span<const std::byte> rest = bytes.subspan(sizeof header_size);
  HASA_CHECK(header_size <= kLongestHeader && header_size <= rest.size(), data,
             "{}: the header claims {} bytes where {} are left: not a safetensors file, or cut short", origin_,
             header_size, rest.size());

  const auto* text = reinterpret_cast<const char*>(rest.data());
  HASA_CHECK(header_size > 0 && text[0] == '{', data, "{}: the header does not begin with {{", origin_);
  HeaderReader header(origin_);
  // The parser reads strings as UTF-8 strictly, so names are valid text.
  nlohmann::json::sax_parse(text, text + header_size, &header);

  const std::span<const std::byte> data = rest.subspan(header_size);
  for (const HeaderEntry& entry : header.entries) tensors_.emplace(entry.name, place(entry, data, origin_));
  check_coverage(header.entries, data.size(), origin_);
  metadata_ = std::move(header.metadata);
}

const StoredTensor* SafeTensors::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

const StoredTensor& SafeTensors::at(std::string_view name) const {
  if (const StoredTensor* tensor = find(name)) return *tensor;
  std::vector<std::string> names;
  for (const auto& [known, tensor] : tensors_) names.push_back(known);
  fail(ErrorKind::data, "{}: no tensor {}{}", origin_, name, did_you_mean(name, names));
}

std::uint64_t TensorOutline::bytes() const {
  const auto size = tensor_bytes(type, shape);
  HASA_CHECK(size, shape, "{}: {} is too large", name, format_shape(shape));
  return *size;
}

SafeTensorsWriter::SafeTensorsWriter(std::filesystem::path path, std::span<const TensorOutline> tensors,
                                     const std::map<std::string, std::string>& metadata)
    : file_(path), path_(std::move(path)), places_(tensors.size()), metadata_(metadata) {
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return element_size(tensors[i].type); });

  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t end = 0;
  for (const std::size_t i : order) {
    const TensorOutline& tensor = tensors[i];
    HASA_CHECK(!header.contains(tensor.name), data, "{}: tensor {} given twice", path_.string(), tensor.name);
    const std::uint64_t begin = std::exchange(end, end + tensor.bytes());
    header[tensor.name] = {{"dtype", to_string(tensor.type)}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    places_[i] = {tensor.name, begin, end};
  }
  header_ = header.dump();
  header_.resize((header_.size() + 7) / 8 * 8, ' ');  // so that the data is aligned in the file
  const std::uint64_t header_size = header_.size();
  file_.write(&header_size, sizeof header_size);
  file_.write(header_);
  position_ = sizeof header_size + header_size;
  for (Place& place : places_) {
    place.next += position_;
    place.end += position_;
  }
}

void SafeTensorsWriter::write(std::size_t tensor, std::span<const std::byte> part) {
  Place& place = places_.at(tensor);
  HASA_CHECK(part.size() <= place.end - place.next, shape, "{}: tensor {} given {} bytes too many", path_.string(),
             place.name, part.size() - (place.end - place.next));
  if (place.next != position_) file_.seek(place.next);
  file_.write(part.data(), part.size());
  position_ = place.next += part.size();
}

void SafeTensorsWriter::replace(const std::string& key, const std::string& value) {
  const auto word = [&](const std::string& of) { return nlohmann::json(key).dump() + ":" + nlohmann::json(of).dump(); };
  std::string& before = metadata_.at(key);
  const std::size_t at = header_.find(word(before));  // metadata is first in the header
  HASA_ASSERT(at != std::string::npos && word(before).size() == word(value).size());
  file_.seek(sizeof(std::uint64_t) + at);
  file_.write(word(value));
  position_ = sizeof(std::uint64_t) + at + word(value).size();
  header_.replace(at, word(value).size(), word(value));
  before = value;
}

void SafeTensorsWriter::commit() {
  for (const Place& place : places_) {
    HASA_CHECK(place.next == place.end, shape, "{}: {} bytes of tensor {} are missing", path_.string(),
               place.end - place.next, place.name);
  }
  file_.commit();
}

void write_safetensors(const std::filesystem::path& path, std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::vector<TensorOutline> outlines;
  for (const auto& [name, tensor] : tensors) {
    HASA_CHECK(tensor_bytes(tensor.type, tensor.shape) == tensor.bytes.size(), shape, "{}: {} {} given {} bytes", name,
               to_string(tensor.type), format_shape(tensor.shape), tensor.bytes.size());
    outlines.push_back({name, tensor.type, tensor.shape});
  }
  SafeTensorsWriter file(path, outlines, metadata);
  for (std::size_t i = 0; i < tensors.size(); ++i) file.write(i, tensors[i].tensor.bytes);
  file.commit();
}

}  // namespace hasa
