#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "hasa/model/language_model.h"
#include "hasa/text/word_piece.h"
#include "input_lines.h"
#include "output.h"

namespace hasa {
namespace {

struct TokenizeArguments {
  std::string model;
  std::size_t max_tokens = kNoLimit;
};

void tokenize(const TokenizeArguments& options) {
  const WordPiece tokenizer = load_tokenizer(find_language_model(options.model));
  std::string out;
  for_each_input_line([&](std::string_view line) {
    for (const std::int32_t id : tokenizer.encode_with_specials(line, options.max_tokens)) {
      fmt::format_to(std::back_inserter(out), "{} ", id);
    }
    out.back() = '\n';
    if (out.size() > (1 << 20)) {
      print(out);
      out.clear();
    }
  });
  print(out);
}

}  // namespace

void add_tokenize(CLI::App& program) {
  CLI::App* command = program.add_subcommand("tokenize", "tokenise texts on stdin, one per line, into token ids");
  const auto options = std::make_shared<TokenizeArguments>();
  command->add_option("--model", options->model, "language-model folder, or its name")->required();
  command->add_option("--max-tokens", options->max_tokens, "truncate texts to this many ids, [CLS] and [SEP] included")
      ->check(CLI::Range(2, 1 << 30));
  command->callback([options] { tokenize(*options); });
}

}  // namespace hasa
