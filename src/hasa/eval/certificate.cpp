#include "hasa/eval/certificate.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <thread>

#include "hasa/base/error.h"
#include "hasa/base/memory.h"
#include "hasa/base/progress.h"
#include "hasa/base/shown_text.h"
#include "hasa/base/version.h"
#include "hasa/ops/core/device.h"
#include "hasa/page/number.h"

namespace hasa {
namespace {

using Shown = Certificate::Shown;
constexpr std::size_t kLabelWidth = 16;

std::string now() {
  const std::time_t time = std::time(nullptr);
  std::tm utc{};
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&time, &utc));
  return text.data();
}

std::string machine(const torch::Device& device) {
  const std::string gpu = device.is_cuda() ? device_name(device) + ", " : "";
  return fmt::format("{}{}, {} cores, {} threads", gpu, device_name(torch::kCPU), std::thread::hardware_concurrency(),
                     at::get_num_threads());
}

/// Entities of the split without training triples; they are kept as queries, answers and candidates.
std::int64_t unseen_entities(const Graph& graph, Split split) {
  std::vector<char> seen(static_cast<std::size_t>(graph.entities()), 0);
  const auto mark = [&](Split s, char value) {
    for (const Triple& t : graph.triples(s)) {
      for (const EntityId e : {t.head, t.tail}) seen[e] = seen[e] == 1 ? 1 : value;
    }
  };
  mark(Split::train, 1);
  mark(split, 2);
  return std::count(seen.begin(), seen.end(), 2);
}

std::string counted(std::int64_t count) { return format_count(static_cast<std::uint64_t>(count)); }

}  // namespace

Certificate certify(const RunFacts& run, const Graph& graph, const EvaluationFacts& facts) {
  const ModelFacts& model = run.model;
  Certificate made;
  const auto add = [&](const char* key, const char* label, Certificate::Value value, Shown shown = Shown::everywhere) {
    made.entries.push_back({key, label, std::move(value), shown});
  };
  const std::int64_t entities = graph.entities();
  const bool sampled = facts.queries < facts.of_queries;
  add("protocol", "protocol",
      sampled
          ? fmt::format("filtered ranking of a sample: {} of the {} queries of the {} split", counted(facts.queries),
                        counted(facts.of_queries), to_string(facts.split))
          : fmt::format("filtered ranking of every triple of the {} split in both directions", to_string(facts.split)));
  add("queries", "queries", facts.queries);
  if (sampled) {
    add("sample", "sample",
        fmt::format("random queries (seed {}), never candidates; H@10 lies in {}-{} ({:g}%)", facts.sample_seed,
                    format_share(facts.hits_at_10.low), format_share(facts.hits_at_10.high),
                    100 * facts.bootstrap.level));
  }
  add("candidates", "candidates",
      fmt::format("all {} entities, including the query's own head{}{}", counted(entities),
                  model.candidates.empty() ? "" : "; ", model.candidates));
  add("filters", "filters", "known answers of train, valid and test removed, except the one being ranked");
  add("tie_rule", "ties", "realistic: the mean of the best and the worst rank");
  add("unseen_entities", "unseen",
      fmt::format("{} entities of the split are not in training; they are kept", unseen_entities(graph, facts.split)));
  add("score", "score", model.products.empty() ? model.score : model.score + "; " + model.products);
  add("intervals", "intervals",
      fmt::format("{:g}% percentile bootstrap, {} resamples of triples, both directions together, seed {}",
                  100 * facts.bootstrap.level, facts.bootstrap.resamples, facts.bootstrap.seed),
      Shown::page_and_json);
  add("model", "model", model.name);
  add("language_model", "language model", model.language_model);
  add("text_template", "text", model.text_template);
  add("context", "context", model.context);
  add("training_graph_at_test", "graph read", model.training_graph);
  add("graph_hash", "graph", fmt::format("content hash {:016x}", graph.content_hash()));
  if (!run.trained_on.empty()) add("trained_on", "trained on", run.trained_on);
  add("graph_source", "graph from", shown(graph.audit().source));
  add("weights", "weights", run.weights);
  add("seed", "seed", static_cast<std::int64_t>(run.seed));
  add("trained_by", "trained by", run.trained_by, Shown::page_and_json);
  add("evaluated_by", "program", fmt::format("hasa {} ({})", version(), commit()));
  add("machine", "machine", machine(facts.device));
  add("seconds", "seconds", facts.seconds, Shown::json);
  if (facts.memory_cap > 0) add("memory_cap", "memory cap", facts.memory_cap, Shown::json);
  add("peak_memory", "peak memory", facts.peak_memory, Shown::json);
  if (facts.kept > 0)
    add("kept", "kept", fmt::format("{} of the ranks were found by earlier calls", counted(facts.kept)));
  if (!facts.speed.empty()) add("speed", "speed", facts.speed);
  add("date", "date", now(), Shown::json);
  const std::string cap = facts.memory_cap > 0 ? fmt::format(" of {}", format_bytes(facts.memory_cap)) : "";
  const std::string took =
      fmt::format("{}, {:.1f} s, at most {}{}", now(), facts.seconds, format_bytes(facts.peak_memory), cap);
  add("measured", "measured", took, Shown::words);
  return made;
}

const Certificate::Value& Certificate::at(const std::string& key) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == key; });
  HASA_CHECK(found != entries.end(), data, "the certificate has no {}", key);
  return found->value;
}

std::string to_string(const Certificate::Value& value) {
  if (const auto* words = std::get_if<std::string>(&value)) return *words;
  if (const auto* count = std::get_if<std::int64_t>(&value)) return std::to_string(*count);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:.3f}", *number);
  std::string lines;
  for (const auto& [name, words] : std::get<Certificate::Named>(value))
    lines += fmt::format("{}{}  {}", lines.empty() ? "" : "\n", words, name);
  return lines;
}

std::string to_lines(const Certificate& certificate) {
  std::string lines;
  for (const Certificate::Entry& entry : certificate.entries) {
    if (entry.shown != Shown::everywhere && entry.shown != Shown::words) continue;
    std::string words = to_string(entry.value);
    for (std::size_t at = 0; (at = words.find('\n', at)) != std::string::npos; ++at)
      words.insert(at + 1, std::string(kLabelWidth + 2, ' '));
    lines += fmt::format("  {:<{}}{}\n", entry.label, kLabelWidth, words);
  }
  return lines;
}

}  // namespace hasa
