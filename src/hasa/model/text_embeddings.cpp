#include "hasa/model/text_embeddings.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/file_lock.h"
#include "hasa/base/hash.h"
#include "hasa/base/log.h"
#include "hasa/base/progress.h"
#include "hasa/base/stop_signal.h"
#include "hasa/input/text_inputs.h"
#include "hasa/model/grown_texts.h"
#include "hasa/model/language_model.h"
#include "hasa/nn/encode_all.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/ops/core/finite.h"
#include "hasa/ops/score/unit_rows.h"

namespace hasa {
namespace {

torch::Tensor encode(const Encoder& encoder, const PackedInputs& inputs, EncodeAllOptions options, const char* title) {
  Progress progress(title, inputs.size(), "texts");
  options.progress = [&](std::int64_t texts) { progress.advance(static_cast<std::uint64_t>(texts)); };
  return unit_rows(encode_all(encoder, TokenRows{inputs.ids, inputs.offsets}, options));
}

constexpr std::string_view kOfGraph = "graph ";
constexpr std::size_t kHashDigits = 16;

std::string describe(std::uint64_t graph, const TextConfig& text, const LanguageModel& model, Pooling pool,
                     torch::Dtype dtype) {
  return fmt::format("{}{:016x}, language model {:016x}, text \"{}\"{} in {} tokens, pool {}, {}", kOfGraph, graph,
                     model.fingerprint(), text.entity, text.first_clause ? " to the first semicolon" : "",
                     text.max_tokens, to_string(pool), c10::toString(dtype));
}

constexpr const char* kChecksum = "checksum";

std::string contents_of(const TextEmbeddings& texts) {
  return checksum_of({{"entities of " + texts.made_from, texts.entities}, {"relations", texts.relations}});
}

/// The cache of an earlier call in the graph's folder, if it exists and is intact.
std::optional<TextEmbeddings> load_kept(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    TextEmbeddings texts = TextEmbeddings::load(file);
    HASA_CHECK(texts.checked, data, "{} has no checksum", file.string());
    return texts;
  } catch (const Error& error) {
    log_warning("{}\nthe texts are encoded again", error.what());
    return std::nullopt;
  }
}

/// Encodes the texts, or the rest of them after an interruption.
TextEmbeddings compute(const LanguageModel& model, const PackedInputs& entities, const PackedInputs& relations,
                       const EncoderOptions& how, EncodeAllOptions options) {
  const Encoder encoder = Encoder::load(model.folder, how);
  check_pooling(encoder, options.pooling);
  TextEmbeddings texts;
  texts.entities = encode(encoder, entities, options, "encoding entities");
  options.journal.clear();  // relations are few
  texts.relations = encode(encoder, relations, options, "encoding relations");
  HASA_CHECK(all_finite(texts.entities) && all_finite(texts.relations), data,
             "{} gives embeddings that are not finite: do its weights match its config.json?", model.folder.string());
  return texts;
}

/// Of what describe() says, in the graph's folder.
std::filesystem::path kept_file(const std::filesystem::path& graph_folder, const std::string& made_from,
                                const char* ending) {
  const std::uint64_t stamp = hash_bytes(made_from.data(), made_from.size());
  return graph_folder / fmt::format("texts-{:016x}.{}", stamp, ending);
}

/// Embeddings of an earlier graph, and where they were found.
struct FoundTexts {
  TextEmbeddings texts;
  std::uint64_t graph = 0;
  std::filesystem::path file;
};

/// The newest that the folder has of a graph from which this one grew, as `made_from` says for a graph.
template <class MadeFrom>
std::optional<FoundTexts> find_of_ancestor(const Graph& graph, const std::filesystem::path& folder,
                                           const MadeFrom& made_from) {
  const std::vector<std::uint64_t> ancestors = graph.lineage().ancestors();
  for (auto hash = ancestors.rbegin(); hash != ancestors.rend(); ++hash) {
    const std::filesystem::path file = kept_file(folder, made_from(*hash), "safetensors");
    if (auto kept = load_kept(file)) return FoundTexts{*std::move(kept), *hash, file};
  }
  return std::nullopt;
}

/// Encodes what is new or has changed since the earlier graph.
TextEmbeddings compute_rest(const Graph& graph, const EarlierTexts& earlier, const LanguageModel& model,
                            const TextInputs& inputs, const EncoderOptions& how, EncodeAllOptions options) {
  const std::optional<Growth> growth = graph.growth_since(earlier.graph);
  HASA_CHECK(growth.has_value(), data, "text embeddings of graph {:016x} do not fit graph {:016x}", earlier.graph,
             graph.content_hash());
  const TextsToRead asked = TextsToRead::of(graph, *growth);
  log_info("the graph has grown: {} of {} texts are encoded, the others were before",
           format_count(asked.entities.size()), format_count(static_cast<std::uint64_t>(graph.entities())));
  std::vector<TextRequest> entities, relations;
  for (const EntityId e : asked.entities) entities.push_back(TextRequest::of_entity(e));
  for (const RelationId r : asked.relations) relations.push_back(TextRequest::of_relation(r));
  options.journal_stamp = hash_bytes(&earlier.graph, sizeof earlier.graph, options.journal_stamp);
  TextEmbeddings read;
  if (!asked.empty())
    read = compute(model, inputs.for_evaluation(entities), inputs.for_evaluation(relations), how, options);
  return grown_texts(earlier.texts, graph, *growth, asked, read);
}

bool have_the_same_texts(const Graph& a, const Graph& b) {
  if (a.entities() != b.entities() || a.relations() != b.relations()) return false;
  for (EntityId e = 0; e < a.entities(); ++e) {
    if (a.entity_name(e) != b.entity_name(e) || a.entity_description(e) != b.entity_description(e)) return false;
  }
  for (RelationId r = 0; r < a.relations(); ++r) {
    if (a.relation_text(r) != b.relation_text(r)) return false;
  }
  return true;
}

}  // namespace

void check_language_model(const TextEmbeddings& texts, const LanguageModel& model) {
  const std::string own = fmt::format("language model {:016x}", model.fingerprint());
  const bool says_one = texts.made_from.find("language model ") != std::string::npos;
  HASA_CHECK(!says_one || texts.made_from.find(own) != std::string::npos, data,
             "{} is not the language model that encoded the texts so far\nrestore that one, or train again",
             model.folder.string());
}

TextEmbeddings embed_texts(const Graph& graph, const std::filesystem::path& graph_folder, const TextConfig& text,
                           const LanguageModelConfig& config, const torch::Device& device,
                           const std::optional<EarlierTexts>& earlier) {
  const LanguageModel model = LanguageModel::open(config.path);
  if (earlier) check_language_model(earlier->texts, model);
  // A text encoded once for all steps would reveal each step's answer.
  HASA_CHECK(text.context == 0, config,
             "text.context is {}, but with a frozen language model an entity's neighbours contribute as vectors "
             "(model.context_layers); text.context is for model.type=text",
             text.context);
  HASA_CHECK(text.max_tokens <= model.config.longest_text(), config,
             "text.max_tokens is {}, but {} reads at most {}\nset it to at most {}", text.max_tokens,
             model.folder.filename().string(), model.config.longest_text(), model.config.longest_text());
  const TextInputs inputs(model.tokenizer, GraphTokens::cached(graph, model.tokenizer, graph_folder), text, graph);
  const torch::Dtype dtype = dtype_for(config.precision, device);
  const auto made_from_graph = [&](std::uint64_t hash) { return describe(hash, text, model, config.pool, dtype); };
  const std::string made_from = made_from_graph(graph.content_hash());
  const std::uint64_t stamp = hash_bytes(made_from.data(), made_from.size());
  const auto file = [&](const char* ending) { return kept_file(graph_folder, made_from, ending); };
  if (auto kept = load_kept(file("safetensors"))) return *std::move(kept);

  const StopSignal stop;
  const FileLock lock(file("lock"), [&, told = false]() mutable {
    if (!std::exchange(told, true)) log_info("another process is encoding the same texts; waiting for it");
    if (stop.requested()) throw Stopped("interrupted by a signal while waiting for another process");
  });
  if (lock.waited()) {
    if (auto kept = load_kept(file("safetensors"))) return *std::move(kept);
  }
  EncodeAllOptions options{.pooling = config.pool, .journal = file("part"), .journal_stamp = stamp};
  options.stop = [&] { return stop.requested(); };
  const std::optional<FoundTexts> found =
      earlier ? std::nullopt : find_of_ancestor(graph, graph_folder, made_from_graph);
  const std::optional<EarlierTexts> base = found ? EarlierTexts{found->texts, found->graph} : earlier;
  TextEmbeddings embeddings =
      base ? compute_rest(graph, *base, model, inputs, {dtype, device}, options)
           : compute(model, inputs.all_entities(), inputs.all_relations(), {dtype, device}, options);
  embeddings.made_from = made_from;
  // Vectors of another precision (from a GPU, say) are good to go on with, but not what this call promises to others.
  const bool as_described = !base || base->texts.made_from == made_from_graph(base->graph);
  if (!as_described) return embeddings;
  try {
    embeddings.save(file("safetensors"));
    std::filesystem::remove(file("part"));
    if (found) std::filesystem::remove(found->file);  // the new ones have it all
  } catch (const Error& error) {
    log_debug("embeddings cannot be cached with the graph: {}", error.what());
  }
  if (stop.requested())
    throw Stopped("interrupted by a signal after encoding all texts\nthe same command resumes from there");
  return embeddings;
}

void copy_text_embeddings(const Graph& from, const std::filesystem::path& from_folder, const Graph& to,
                          const std::filesystem::path& to_folder, const TextConfig& text,
                          const LanguageModelConfig& config, const torch::Device& device) {
  HASA_CHECK(have_the_same_texts(from, to), data, "{} and {} have not the same texts", from_folder.string(),
             to_folder.string());
  const LanguageModel model = LanguageModel::open(config.path);
  const std::string made_from =
      describe(to.content_hash(), text, model, config.pool, dtype_for(config.precision, device));
  const std::filesystem::path file = kept_file(to_folder, made_from, "safetensors");
  if (std::filesystem::exists(file)) return;
  TextEmbeddings texts = embed_texts(from, from_folder, text, config, device);
  texts.made_from = made_from;
  texts.save(file);
}

std::optional<std::uint64_t> TextEmbeddings::graph() const {
  if (!made_from.starts_with(kOfGraph) || made_from.size() < kOfGraph.size() + kHashDigits) return std::nullopt;
  const char* begin = made_from.data() + kOfGraph.size();
  std::uint64_t hash = 0;
  const auto [end, error] = std::from_chars(begin, begin + kHashDigits, hash, 16);
  if (error != std::errc() || end != begin + kHashDigits) return std::nullopt;
  return hash;
}

void TextEmbeddings::set_graph(std::uint64_t hash) {
  if (graph()) made_from.replace(kOfGraph.size(), kHashDigits, fmt::format("{:016x}", hash));
}

void TextEmbeddings::save(const std::filesystem::path& file) const {
  save_tensors(file, {{"entities", entities}, {"relations", relations}},
               {{"made_from", made_from}, {kChecksum, contents_of(*this)}});
}

void TextEmbeddings::share(Comm& comm) {
  if (comm.alone()) return;
  made_from = comm.broadcast(made_from);
  checked = comm.any(checked);
  for (torch::Tensor* each : {&entities, &relations}) {
    torch::Tensor shape =
        comm.first() ? torch::tensor(each->sizes().vec(), torch::kInt64) : torch::zeros({2}, torch::kInt64);
    comm.broadcast(shape, 0);
    if (!comm.first())
      *each = torch::empty({shape[0].item<std::int64_t>(), shape[1].item<std::int64_t>()}, torch::kFloat32);
    comm.broadcast(*each, 0);
  }
}

TextEmbeddings TextEmbeddings::load(const std::filesystem::path& file) {
  const TensorFile stored = load_weights(file);
  TextEmbeddings texts{stored.at("entities"), stored.at("relations"), stored.metadata_at("made_from")};
  const auto checksum = stored.metadata.find(kChecksum);
  texts.checked = checksum != stored.metadata.end();
  HASA_CHECK(!texts.checked || checksum->second == contents_of(texts), data,
             "{} is damaged: its checksum does not match", file.string());
  return texts;
}

}  // namespace hasa
