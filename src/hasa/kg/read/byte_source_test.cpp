#include "hasa/kg/read/byte_source.h"

#include <zlib.h>
#include <zstd.h>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

std::string gzip(const std::string& text) {
  z_stream stream = {};
  ::deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  ::deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return packed;
}

std::string zstd(const std::string& text) {
  ZSTD_CCtx* context = ::ZSTD_createCCtx();
  ::ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);  // as the zstd program does
  std::string packed(::ZSTD_compressBound(text.size()), '\0');
  packed.resize(::ZSTD_compress2(context, packed.data(), packed.size(), text.data(), text.size()));
  ::ZSTD_freeCCtx(context);
  return packed;
}

std::string unpacked(const std::string& bytes) { return ByteSource::of_memory("f", bytes).read_all(); }

std::string large_text() {
  std::string text;
  for (int i = 0; i < 150'000; ++i) text += fmt::format("line {}\n", i * 7919);
  return text;
}

TEST(ByteSource, UnpacksByTheFirstBytesWhateverTheName) {
  const std::string text = large_text();
  EXPECT_EQ(unpacked(text), text);
  EXPECT_EQ(unpacked(gzip(text)), text);
  EXPECT_EQ(unpacked(zstd(text)), text);
  EXPECT_EQ(unpacked(""), "");
}

TEST(ByteSource, ReadsPackedPartsThatWerePutTogether) {
  EXPECT_EQ(unpacked(gzip("a\n") + gzip("b\n")), "a\nb\n");
  EXPECT_EQ(unpacked(zstd("a\n") + zstd("b\n")), "a\nb\n");
}

TEST(ByteSource, SaysWhenPackedBytesAreDamagedOrCutShort) {
  const std::string text = large_text();
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    EXPECT_ERROR(unpacked(packed.substr(0, packed.size() / 2)), "f is cut short");
    std::string damaged = packed;
    for (std::size_t at = 1000; at < 1100; ++at) damaged[at] = static_cast<char>(~damaged[at]);
    EXPECT_ERROR(unpacked(damaged), "f is damaged");
  }
}

TEST(ByteSource, NamesWhatCannotBeOpened) {
  const testing::TempDir folder;
  EXPECT_ERROR(ByteSource::open(folder / "missing"), "missing: No such file");
  EXPECT_ERROR(ByteSource::open(folder.path()), "is a folder, expected a file");
  write_file(folder / "f.gz", gzip("x\n"));
  EXPECT_EQ(ByteSource::open(folder / "f.gz").read_all(), "x\n");
  EXPECT_EQ(unpacked_name("a/b.nt.gz"), "a/b.nt");
  EXPECT_EQ(unpacked_name("b.nt"), "b.nt");
}

TEST(ByteSource, RefusesWhatItCannotReadWithTheCommandThatConvertsIt) {
  EXPECT_ERROR(ByteSource::of_memory("f",
                                     "\xFF\xFE"
                                     "a"),
               "iconv -f UTF-16 -t UTF-8 f | hasa import -");
  EXPECT_ERROR(ByteSource::of_memory("f", std::string_view("\xFD"
                                                           "7zXZ\0x",
                                                           7)),
               "xz -dc f | hasa import -");
  EXPECT_ERROR(ByteSource::of_memory("f", "BZh91AY&SYx"), "bzip2 -dc f | hasa import -");
}

TEST(ByteSource, ShowsItsBeginningWithoutTakingIt) {
  for (const std::string& text : {std::string(), std::string("a\tr\tb\n"), large_text()}) {
    for (const std::string& packed : {text, gzip(text)}) {
      ByteSource source = ByteSource::of_memory("f", packed);
      EXPECT_TRUE(text.starts_with(source.beginning()));
      EXPECT_EQ(source.beginning().empty(), text.empty());
      EXPECT_TRUE(source.read_all() == text);
    }
  }
}

}  // namespace
}  // namespace hasa
