// The encoder's side of encoder_bench.py: loads a model once and then, for each line on stdin, tokenises and
// encodes all texts again and prints the seconds that took. What it is asked is the model's precision, or
// "save FILE" to write the last vectors.
//
//   encoder_driver MODEL TEXTS MAX_TOKENS [TOKENS_PER_BATCH]

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "hasa/base/npy.h"
#include "hasa/nn/encode_all.h"
#include "hasa/text/word_piece.h"

namespace {

std::vector<std::string> read_lines(const char* path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

int serve(char** arguments, std::int64_t tokens_per_batch) {
  using hasa::Encoder;
  const std::string folder = arguments[1];
  const std::vector<std::string> texts = read_lines(arguments[2]);
  const std::size_t max_tokens = std::stoul(arguments[3]);
  const hasa::WordPiece tokenizer = hasa::WordPiece::load(folder);
  std::map<std::string, hasa::FrozenEncoder> encoders;
  encoders.emplace("fp32", hasa::FrozenEncoder(Encoder::load(folder, {torch::kFloat32})));
  encoders.emplace("bf16", hasa::FrozenEncoder(Encoder::load(folder, {torch::kBFloat16})));
  torch::Tensor vectors;
  std::cout << "ready " << texts.size() << ' ' << hasa::cpu_has_bfloat16() << std::endl;
  for (std::string request; std::getline(std::cin, request);) {
    if (request.starts_with("save ")) {
      hasa::write_npy(request.substr(5), {vectors.const_data_ptr<float>(), static_cast<std::size_t>(vectors.numel())},
                      vectors.sizes());
      std::cout << "saved" << std::endl;
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> offsets = {0};
    for (const std::string& text : texts) {
      const std::vector<std::int32_t> encoded = tokenizer.encode_with_specials(text, max_tokens);
      ids.insert(ids.end(), encoded.begin(), encoded.end());
      offsets.push_back(static_cast<std::int64_t>(ids.size()));
    }
    vectors = hasa::encode_all(encoders.at(request), {ids, offsets}, {hasa::Pooling::mean, tokens_per_batch, {}});
    std::cout << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() << std::endl;
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    std::fprintf(stderr, "usage: encoder_driver MODEL TEXTS MAX_TOKENS [TOKENS_PER_BATCH]\n");
    return 2;
  }
  try {
    return serve(arguments, count > 4 ? std::stol(arguments[4]) : 0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
