#include "hasa/nn/safetensors.h"

#include <cstring>
#include <string>
#include <vector>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

std::string file_with(const std::string& header, std::size_t data_size) {
  const std::uint64_t size = header.size();
  std::string file(reinterpret_cast<const char*>(&size), sizeof size);
  return file + header + std::string(data_size, '\1');
}

SafeTensors parse(const std::string& file) {
  return SafeTensors::parse(std::as_bytes(std::span(file)), "model.safetensors");
}

void expect_refused(const std::string& header, std::size_t data_size, const std::string& message) {
  EXPECT_ERROR(parse(file_with(header, data_size)), message);
}

std::span<const std::byte> bytes_of(const std::vector<float>& values) { return std::as_bytes(std::span(values)); }

TEST(SafeTensors, ReadsTypesShapesBytesAndMetadata) {
  const std::string file = file_with(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F16","shape":[2,1],"data_offsets":[8,12]},)"
      R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"empty":{"dtype":"I64","shape":[0,7],"data_offsets":[8,8]},)"
      R"("scalar":{"dtype":"BOOL","shape":[],"data_offsets":[12,13]}}   )",
      13);
  const SafeTensors tensors = parse(file);
  EXPECT_EQ(tensors.metadata().at("format"), "pt");
  EXPECT_EQ(tensors.tensors().size(), 4u);
  EXPECT_EQ(tensors.at("b").type, ElementType::f16);
  EXPECT_THAT(tensors.at("b").shape, ::testing::ElementsAre(2, 1));
  EXPECT_EQ(tensors.at("b").bytes.size(), 4u);
  EXPECT_EQ(tensors.at("empty").bytes.size(), 0u);
  EXPECT_TRUE(tensors.at("scalar").shape.empty());
  EXPECT_EQ(tensors.find("c"), nullptr);
  EXPECT_ERROR(tensors.at("scalr"), "model.safetensors: no tensor scalr; did you mean scalar?");
}

TEST(SafeTensors, AFileWithoutTensorsIsEmpty) { EXPECT_TRUE(parse(file_with("{}", 0)).tensors().empty()); }

TEST(SafeTensors, WhatIsWrittenIsReadBackAlsoAfterAMove) {
  const ::hasa::testing::TempDir folder;
  const std::vector<float> values = {1.5f, -2.0f, 3.25f};
  const std::vector<std::uint8_t> flags = {1, 0, 1};
  const std::vector<TensorToWrite> entries = {
      {"flags", {ElementType::u8, {3}, std::as_bytes(std::span(flags))}},
      {"weights \"quoted\" \n é", {ElementType::f32, {3, 1}, bytes_of(values)}}};
  write_safetensors(folder / "m.safetensors", entries, {{"format", "pt"}});

  SafeTensors opened = SafeTensors::open(folder / "m.safetensors");
  const SafeTensors tensors = std::move(opened);
  const StoredTensor& weights = tensors.at("weights \"quoted\" \n é");
  EXPECT_EQ(std::memcmp(weights.bytes.data(), values.data(), weights.bytes.size()), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(weights.bytes.data()) % 8, 0u);
  EXPECT_EQ(tensors.at("flags").bytes[2], std::byte{1});
  EXPECT_EQ(tensors.metadata().at("format"), "pt");
}

TEST(SafeTensors, IsTheSameFileHoweverItsPartsCome) {
  const ::hasa::testing::TempDir folder;
  const std::vector<float> a = {1, 2, 3}, b = {4, 5};
  const std::vector<std::uint8_t> c = {6};
  write_safetensors(folder / "whole",
                    std::vector<TensorToWrite>{{"a", {ElementType::f32, {3}, bytes_of(a)}},
                                               {"c", {ElementType::u8, {1}, std::as_bytes(std::span(c))}},
                                               {"b", {ElementType::f32, {2, 1}, bytes_of(b)}}},
                    {{"hash", "1234"}, {"other", "0000"}});
  const std::vector<TensorOutline> outlines = {
      {"a", ElementType::f32, {3}}, {"c", ElementType::u8, {1}}, {"b", ElementType::f32, {2, 1}}};
  SafeTensorsWriter writer(folder / "parts", outlines, {{"hash", "0000"}, {"other", "0000"}});
  writer.write(2, bytes_of(b).first(3));
  writer.write(0, bytes_of(a).first(8));
  writer.write(0, bytes_of(a).subspan(8));
  writer.write(2, bytes_of(b).subspan(3));
  EXPECT_ERROR(writer.write(2, bytes_of(b)), "tensor b given 8 bytes too many");
  EXPECT_ERROR(writer.commit(), "1 bytes of tensor c are missing");
  writer.replace("hash", "1234");
  writer.write(1, std::as_bytes(std::span(c)));
  writer.commit();
  EXPECT_EQ(read_file(folder / "parts"), read_file(folder / "whole"));
}

TEST(SafeTensors, TheWriterRefusesBytesThatDoNotFillTheShapeAndNamesGivenTwice) {
  const ::hasa::testing::TempDir folder;
  const std::vector<float> values = {1, 2};
  const StoredTensor good{ElementType::f32, {2}, bytes_of(values)};
  const StoredTensor bad{ElementType::f32, {3}, bytes_of(values)};
  EXPECT_ERROR(write_safetensors(folder / "f", std::vector<TensorToWrite>{{"a", bad}}), "a: F32 [3] given 8 bytes");
  EXPECT_ERROR(write_safetensors(folder / "f", std::vector<TensorToWrite>{{"a", good}, {"a", good}}),
               "tensor a given twice");
  EXPECT_FALSE(std::filesystem::exists(folder / "f"));
}

TEST(SafeTensors, RefusesFilesTooShortForTheirHeader) {
  EXPECT_ERROR(parse(""), "model.safetensors: 0 bytes are too few");
  EXPECT_ERROR(parse(std::string(3, '\1')), "too few");
  EXPECT_ERROR(parse(std::string(8, '\xff')), "the header claims 18446744073709551615 bytes where 0 are left");
  EXPECT_ERROR(parse(std::string(8, '\0')), "does not begin with {");
}

TEST(SafeTensors, RefusesAHeaderThatIsNotItsOneForm) {
  expect_refused("{\"a\":", 0, "not valid JSON");
  expect_refused("{} x", 0, "not valid JSON");
  expect_refused("{\"\xff\":{}}", 0, "not valid JSON");
  expect_refused("[]", 0, "does not begin with {");
  expect_refused(R"({"a":1})", 0, "a number where none was expected, at tensor a");
  expect_refused(R"({"a":[1]})", 0, "an array where a value was expected");
  expect_refused(R"({"a":{}})", 0, "tensor a lacks dtype");
  expect_refused(R"({"a":{"dtype":"F32","shape":[]}})", 0, "tensor a lacks data_offsets");
  expect_refused(R"({"a":{"dtype":{"x":1}}})", 0, "an object where a value was expected");
  expect_refused(R"({"a":{"dtype":"F32","shape":[[1]],"data_offsets":[0,4]}})", 4, "an array where");
  expect_refused(R"({"a":{"dtype":"F32","shape":[{}],"data_offsets":[0,4]}})", 4, "an object where");
  expect_refused(R"({"a":{"dtype":"F32","shape":["1"],"data_offsets":[0,4]}})", 4, "a string where none");
  expect_refused(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4, "a negative number");
  expect_refused(R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", 4, "a number with a fraction");
  expect_refused(R"({"a":{"dtype":"F32","shape":null,"data_offsets":[0,4]}})", 4, "null");
  expect_refused(R"({"a":{"dtype":"F4","shape":[1],"data_offsets":[0,4]}})", 4, "unknown element type \"F4\"");
  expect_refused(R"({"a":{"dtype":"F32","type":"x"}})", 0, "an unknown field \"type\", at tensor a");
  expect_refused(R"({"a":{"dtype":"F32","dtype":"F32"}})", 0, "the field dtype twice");
  expect_refused(R"({"__metadata__":{"a":1}})", 0, "a number where none was expected");
  expect_refused(R"({"__metadata__":{"a":"1","a":"2"}})", 0, "\"a\" twice");
}

TEST(SafeTensors, RefusesATensorThatAppearsTwice) {
  expect_refused(
      R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", 2,
      "tensor a appears twice");
}

TEST(SafeTensors, RefusesDeepNestingWithoutRecursion) {
  expect_refused("{\"a\":" + std::string(1'000'000, '['), 0, "an array where a value was expected");
  std::string nested = "{\"a\":";
  for (int i = 0; i < 100'000; ++i) nested += "{\"dtype\":";
  expect_refused(nested, 0, "an object where a value was expected");
}

TEST(SafeTensors, RefusesOffsetsThatDoNotFitShapeOrFile) {
  expect_refused(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4,
                 "tensor a of F32 [2] has 4 bytes of data");
  expect_refused(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 4, "tensor a ends at byte 8 of 4");
  expect_refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4, "malformed data_offsets");
  expect_refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4]}})", 4, "malformed data_offsets");
  expect_refused(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0,
                 "has 0 bytes of data");
  expect_refused(R"({"a":{"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,4]}})", 4,
                 "a number too large");
}

TEST(SafeTensors, RefusesOverlapsHolesAndTrailingBytes) {
  const std::string first = R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)";
  expect_refused(first + R"("b":{"dtype":"U8","shape":[2],"data_offsets":[3,5]}})", 5, "tensor b begins at byte 3");
  expect_refused(first + R"("b":{"dtype":"U8","shape":[1],"data_offsets":[5,6]}})", 6, "leaving a hole after byte 4");
  expect_refused(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", 5, "1 bytes after the last tensor");
}

TEST(SafeTensors, AMissingFileIsAnErrorThatNamesIt) {
  EXPECT_ERROR(SafeTensors::open("/nonexistent/model.safetensors"), "/nonexistent/model.safetensors");
}

}  // namespace
}  // namespace hasa
