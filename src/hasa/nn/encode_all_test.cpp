#include "hasa/nn/encode_all.h"

#include <ATen/Parallel.h>

#include <atomic>

#include "hasa/base/rng.h"
#include "hasa/base/stop_signal.h"
#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"

namespace hasa {
namespace {

using torch::Tensor;

const std::filesystem::path kMPNet = std::filesystem::path(HASA_SOURCE_DIR) / "tests/recorded/encoder/mpnet";

struct Texts {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> offsets = {0};

  TokenRows rows() const { return {ids, offsets}; }
};
Texts random_texts(int count, int longest, int vocabulary) {
  Rng rng(11);
  Texts texts;
  for (int i = 0; i < count; ++i) {
    const auto length = 1 + rng.below(static_cast<std::uint64_t>(longest));
    for (std::uint64_t j = 0; j < length; ++j)
      texts.ids.push_back(static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(vocabulary))));
    texts.offsets.push_back(static_cast<std::int64_t>(texts.ids.size()));
  }
  return texts;
}

TEST(EncodeAll, GivesEachTextInItsPlaceWhatItGetsAlone) {
  const Texts texts = random_texts(150, 40, 90);
  const Encoder encoder = Encoder::load(kMPNet);
  for (const Pooling pooling : {Pooling::mean, Pooling::cls, Pooling::pooler}) {
    std::atomic<std::int64_t> done = 0;
    const Tensor vectors = encode_all(
        encoder, texts.rows(),
        {.pooling = pooling, .tokens_per_batch = 256, .progress = [&](std::int64_t count) { done += count; }});
    EXPECT_EQ(done, 150);
    EXPECT_EQ(vectors.sizes(), (std::vector<std::int64_t>{150, 32}));
    for (std::int64_t row = 0; row < 150; row += 7) {
      const std::vector<std::int64_t> only = {row};
      const PackedTokens tokens = pack(texts.rows(), only);
      EXPECT_LT((pool(encoder, encoder.forward(tokens), tokens, pooling)[0] - vectors[row]).abs().max().item<double>(),
                1e-5);
    }
  }
}

/// Every fifth token is a soft one whose key is the word it stands for.
struct TextsWithSoftTokens {
  explicit TextsWithSoftTokens(const Texts& from) : texts(from) {
    for (std::size_t i = 0; i < texts.ids.size(); i += 5) {
      keys.push_back(texts.ids[i]);
      texts.ids[i] = static_cast<std::int32_t>(-std::ssize(keys));
    }
  }
  TokenRows rows() const { return {.ids = texts.ids, .offsets = texts.offsets, .soft = keys}; }

  Texts texts;
  std::vector<std::int64_t> keys;
};

TEST(EncodeAll, ReadsSoftTokensWithTheRowsOfWordsAsThoseWords) {
  const Texts words = random_texts(150, 40, 90);
  const TextsWithSoftTokens soft(words);
  const Encoder encoder = Encoder::load(kMPNet);
  const SoftRows word_of_key = [&](const Tensor& keys) { return encoder.weights().words.index_select(0, keys); };
  const Tensor expected = encode_all(encoder, words.rows(), {.tokens_per_batch = 256});
  const Tensor vectors = encode_all(encoder, soft.rows(), {.tokens_per_batch = 256, .soft_rows = word_of_key});
  EXPECT_TRUE(torch::equal(vectors, expected));
  const PackedTokens packed = pack(soft.rows());
  const Tensor rows = word_of_key(packed.soft);
  for (const bool fused : {true, false}) {
    Encoder other = encoder;
    other.set_fused(fused);
    EXPECT_TRUE(torch::equal(other.forward(packed, /*train=*/false, rows), other.forward(pack(words.rows()))));
  }
  EXPECT_ERROR(encoder.forward(packed, /*train=*/false, rows.slice(0, 1)), "soft tokens, but rows for");
}

TEST(EncodeAll, ABudgetSmallerThanATextStillEncodesIt) {
  const Texts texts = random_texts(5, 40, 90);
  const Encoder encoder = Encoder::load(kMPNet);
  const Tensor one_by_one = encode_all(encoder, texts.rows(), {.tokens_per_batch = 1});
  EXPECT_LT((one_by_one - encode_all(encoder, texts.rows())).abs().max().item<double>(), 1e-5);
}

/// Encodes until the given number of batches is under way; whether it was stopped.
bool stopped_after(int batches, const Encoder& encoder, const TokenRows& rows, EncodeAllOptions options) {
  std::atomic<int> asked = 0;
  options.stop = [&] { return asked++ >= batches; };
  try {
    encode_all(encoder, rows, options);
  } catch (const Stopped& stopped) {
    EXPECT_THAT(stopped.what(), ::testing::HasSubstr("keeps them: the same command resumes"));
    return true;
  }
  return false;
}

void expect_taken_up_where_it_stopped(torch::Device device) {
  const Texts texts = random_texts(150, 40, 90);
  const Encoder encoder = Encoder::load(kMPNet, {torch::kFloat32, device});
  EncodeAllOptions options{.tokens_per_batch = 256};
  const Tensor undisturbed = encode_all(encoder, texts.rows(), options);
  const testing::TempDir dir;
  options.journal = dir / "vectors.part";
  EXPECT_TRUE(stopped_after(3, encoder, texts.rows(), options));
  EXPECT_TRUE(stopped_after(4, encoder, texts.rows(), options));
  std::atomic<std::int64_t> batches = 0, done = 0;
  options.progress = [&](std::int64_t count) {
    ++batches;
    done += count;
  };
  EXPECT_TRUE(torch::equal(encode_all(encoder, texts.rows(), options), undisturbed));
  EXPECT_EQ(done, 150);
  const std::int64_t in_all = (texts.offsets.back() + 255) / 256;
  EXPECT_LT(batches, in_all - 3);  // what was read before counts as one
}

TEST(EncodeAll, TakesUpWhereItWasStoppedAndGivesTheSameToTheLastBit) { expect_taken_up_where_it_stopped(torch::kCPU); }

TEST(EncodeAllGpu, TakesUpWhereItWasStoppedAndGivesTheSameToTheLastBit) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  expect_taken_up_where_it_stopped(torch::kCUDA);
}

TEST(EncodeAll, EncodesEverythingAgainIfTheJournalIsOfOtherTexts) {
  const Texts texts = random_texts(50, 40, 90);
  const Encoder encoder = Encoder::load(kMPNet);
  const testing::TempDir dir;
  EncodeAllOptions options{.tokens_per_batch = 64};
  options.journal = dir / "vectors.part";
  EXPECT_TRUE(stopped_after(5, encoder, texts.rows(), options));
  options.journal_stamp = 1;
  std::atomic<std::int64_t> most = 0;
  options.progress = [&](std::int64_t count) { most = std::max<std::int64_t>(most, count); };
  encode_all(encoder, texts.rows(), options);
  EXPECT_LT(most, 20);  // no batch but those of 64 tokens
}

TEST(EncodeAllGpu, GivesWhatTheCpuGives) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  const Texts texts = random_texts(150, 40, 90);
  const Tensor here = encode_all(Encoder::load(kMPNet), texts.rows());
  const Encoder there = Encoder::load(kMPNet, {torch::kFloat32, torch::kCUDA});
  for (const std::int64_t budget : {1, 256, 100000}) {
    const Tensor vectors = encode_all(there, texts.rows(), {.tokens_per_batch = budget});
    EXPECT_LT((vectors.cpu() - here).abs().max().item<double>(), 1e-4) << budget;
  }
}

TEST(EncodeAll, NoTextsGiveNoVectors) {
  EXPECT_EQ(encode_all(Encoder::load(kMPNet), TokenRows{}).sizes(), (std::vector<std::int64_t>{0, 32}));
}

TEST(EncodeAll, NamesTheTextThatCannotBeEncoded) {
  const Encoder encoder = Encoder::load(kMPNet);
  const auto encode = [&](const std::vector<std::vector<std::int32_t>>& rows) {
    Texts texts;
    for (const auto& row : rows) {
      texts.ids.insert(texts.ids.end(), row.begin(), row.end());
      texts.offsets.push_back(static_cast<std::int64_t>(texts.ids.size()));
    }
    return encode_all(encoder, texts.rows());
  };
  EXPECT_ERROR(encode({{1}, {}}), "text 1 has no tokens");
  EXPECT_ERROR(encode({{1}, {2}, std::vector<std::int32_t>(201, 3)}), "text 2 has 201 tokens, the model takes 200");
  EXPECT_ERROR(encode({{1, 90}}), "text 0 has the token id 90, the vocabulary 90 entries");
}

TEST(EncodeAll, InBFloat16VectorsKeepTheirDirection) {
  HASA_NEEDS_FOLDER(folder, "HASA_MINILM");
  const Texts texts = random_texts(60, 30, 30522);
  const Tensor exact = encode_all(Encoder::load(folder), texts.rows());
  const Tensor rounded = encode_all(Encoder::load(folder, {torch::kBFloat16}), texts.rows());
  EXPECT_EQ(rounded.scalar_type(), torch::kFloat32);
  EXPECT_GT(torch::cosine_similarity(rounded, exact).min().item<double>(), 0.999);
}

}  // namespace
}  // namespace hasa
