#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/base/npy.h"
#include "hasa/base/progress.h"
#include "hasa/dist/job.h"
#include "hasa/input/text_inputs.h"
#include "hasa/job/trained_run.h"
#include "hasa/model/encode_together.h"
#include "hasa/model/language_model.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/encoder/packed_linear.h"
#include "hasa/ops/score/unit_rows.h"
#include "hasa/text/word_piece.h"
#include "input_lines.h"

namespace hasa {
namespace {

struct EncodeArguments {
  std::string model, out;
  std::string pool = "mean", dtype = "fp32", device = "auto";
  std::size_t max_tokens = 0;
  bool normalise = false;
};

/// The lines of stdin as token ids.
PackedInputs read_lines(const LanguageModel& model, std::size_t most) {
  PackedInputs inputs;
  for_each_input_line([&](std::string_view line) {
    const auto ids = model.tokenizer.encode_with_specials(line, most);
    inputs.ids.insert(inputs.ids.end(), ids.begin(), ids.end());
    inputs.offsets.push_back(static_cast<std::int64_t>(inputs.ids.size()));
  });
  return inputs;
}

/// Of several processes rank 0 alone has the lines and writes.
void encode(const EncodeArguments& options, Comm& comm) {
  const LanguageModel model = LanguageModel::open(options.model);
  const std::filesystem::path out_folder = std::filesystem::path(options.out).parent_path();
  HASA_CHECK(!comm.first() || out_folder.empty() || std::filesystem::is_directory(out_folder), data,
             "there is no folder {} to write {} in", out_folder.string(), options.out);
  const torch::Device device = device_for(options.device, comm);
  torch::Dtype dtype = options.dtype == "bf16" ? torch::kBFloat16 : torch::kFloat32;
  if (dtype == torch::kBFloat16 && device.is_cpu() && !cpu_has_bfloat16()) {
    log_warning("this processor has no bf16 instructions; computing in fp32, which is faster here");
    dtype = torch::kFloat32;
  }
  const Encoder encoder = Encoder::load(model.folder, {dtype, device});
  EncodeAllOptions how;
  how.pooling = parse_pooling(options.pool);
  check_pooling(encoder, how.pooling);
  const auto longest = static_cast<std::size_t>(model.config.longest_text());
  HASA_CHECK(options.max_tokens <= longest, config, "--max-tokens is {}, but the model reads at most {}",
             options.max_tokens, longest);

  PackedInputs inputs;
  if (comm.first()) inputs = read_lines(model, options.max_tokens > 0 ? options.max_tokens : longest);
  inputs.ids = comm.broadcast(inputs.ids);
  inputs.offsets = comm.broadcast(inputs.offsets);
  Progress progress("encoding",
                    static_cast<std::uint64_t>(comm.share_of(static_cast<std::int64_t>(inputs.size())).count), "texts");
  how.progress = [&](std::int64_t texts) { progress.advance(static_cast<std::uint64_t>(texts)); };
  torch::Tensor vectors = encode_together(FrozenEncoder(encoder), TokenRows{inputs.ids, inputs.offsets}, how, comm);
  if (!comm.first()) return;
  if (options.normalise) vectors = unit_rows(vectors);
  vectors = vectors.cpu().contiguous();
  progress.finish();
  write_npy(options.out, {vectors.const_data_ptr<float>(), static_cast<std::size_t>(vectors.numel())}, vectors.sizes());
}

}  // namespace

void add_encode(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("encode", "encode texts on stdin, one per line, into vectors of a language model");
  const auto options = std::make_shared<EncodeArguments>();
  command->add_option("--model", options->model, "language-model folder, or its name")->required();
  command->add_option("--out", options->out, "file to write: a float32 NumPy array [lines, hidden]")->required();
  command->add_option("--pool", options->pool, "pooling of a text's token vectors")
      ->check(CLI::IsMember({"mean", "cls", "pooler"}))
      ->capture_default_str();
  command->add_option("--dtype", options->dtype, "precision of matrix products")
      ->check(CLI::IsMember({"fp32", "bf16"}))
      ->capture_default_str();
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:N")->capture_default_str();
  command
      ->add_option("--max-tokens", options->max_tokens,
                   "truncate texts to this many tokens; the default is the model's maximum")
      ->check(CLI::Range(2, 1 << 20));
  command->add_flag("--normalise", options->normalise, "divide each vector by its length");
  command->callback([options] { in_job([&](Comm& comm) { encode(*options, comm); }); });
}

}  // namespace hasa
