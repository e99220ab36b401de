#include "hasa/kg/synthetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/rng.h"

namespace hasa {
namespace {

constexpr std::array<std::string_view, 16> kQualities = {"amber", "brisk",  "calm", "dusty", "early", "faint",
                                                         "green", "hollow", "iron", "jolly", "keen",  "late",
                                                         "mild",  "north",  "old",  "pale"};
constexpr std::array<std::string_view, 16> kThings = {"anchor", "bridge",  "candle",  "drum",   "engine", "ferry",
                                                      "garden", "harbour", "inn",     "jacket", "kettle", "ladder",
                                                      "mill",   "needle",  "orchard", "pump"};

void check(const SyntheticOptions& options) {
  constexpr std::uint64_t kMost = std::numeric_limits<EntityId>::max();
  HASA_CHECK(options.entities >= 2 && options.entities <= kMost, config, "synthetic.entities is {}, expected 2 to {}",
             options.entities, kMost);
  HASA_CHECK(options.relations >= 1 && options.relations <= kMost / 2, config,
             "synthetic.relations is {}, expected 1 to {}", options.relations, kMost / 2);
  HASA_CHECK(options.groups >= 1 && options.groups <= options.entities, config,
             "synthetic.groups is {}, expected 1 to the number of entities, {}", options.groups, options.entities);
  HASA_CHECK(options.triples >= 1, config, "synthetic.triples is 0, expected at least 1");
  HASA_CHECK(options.skew >= 1 && options.skew <= 10, config, "synthetic.skew is {}, expected 1 to 10", options.skew);
  HASA_CHECK(options.noise >= 0 && options.noise <= 1, config, "synthetic.noise is {}, expected 0 to 1", options.noise);
}

/// Draws triples. Entity e is of group e mod groups, so a group's members are its number plus multiples.
class Generator {
 public:
  explicit Generator(const SyntheticOptions& options) : options_(options), rng_(options.seed, "synthetic") {
    check(options);
    Rng rng(options.seed, "synthetic relations");
    for (std::uint64_t r = 0; r < options.relations; ++r)
      maps_.push_back({1 + rng.below(options.groups), rng.below(options.groups)});
  }

  /// The triple of this number; while numbers are below that of the entities, each entity is a head once.
  Triple draw(std::uint64_t number) {
    const std::uint64_t head = number < options_.entities ? number : skewed(options_.entities);
    const std::uint64_t relation = skewed(options_.relations);
    const auto [factor, shift] = maps_[relation];
    const std::uint64_t group = (factor * (head % options_.groups) + shift) % options_.groups;
    const std::uint64_t members = (options_.entities - group - 1) / options_.groups + 1;
    std::uint64_t tail =
        rng_.uniform() < options_.noise ? rng_.below(options_.entities) : group + options_.groups * skewed(members);
    if (tail == head) tail = (tail + 1) % options_.entities;
    return {static_cast<EntityId>(head), static_cast<RelationId>(relation), static_cast<EntityId>(tail)};
  }

 private:
  /// Below the bound, with density x^(1/skew - 1): low numbers come often.
  std::uint64_t skewed(std::uint64_t bound) {
    const double drawn = std::pow(rng_.uniform(), options_.skew) * static_cast<double>(bound);
    return std::min(static_cast<std::uint64_t>(drawn), bound - 1);
  }

  struct GroupMap {
    std::uint64_t factor, shift;
  };
  const SyntheticOptions& options_;
  Rng rng_;
  std::vector<GroupMap> maps_;
};

std::string group_words(std::uint64_t group) {
  const std::uint64_t round = group / (kQualities.size() * kThings.size());
  return fmt::format("{} {}{}", kQualities[group % kQualities.size()],
                     kThings[group / kQualities.size() % kThings.size()],
                     round == 0 ? "" : fmt::format(" {}", round + 1));
}

void add_texts(const SyntheticOptions& options, GraphParts& parts) {
  for (std::uint64_t e = 0; e < options.entities; ++e) {
    const std::uint64_t group = e % options.groups, number = e / options.groups + 1;
    parts.names.add(fmt::format("{} number {}", group_words(group), number));
    parts.descriptions.add(fmt::format("the {}{} of the {} kind", number,
                                       number % 10 == 1 && number % 100 != 11   ? "st"
                                       : number % 10 == 2 && number % 100 != 12 ? "nd"
                                       : number % 10 == 3 && number % 100 != 13 ? "rd"
                                                                                : "th",
                                       group_words(group)));
  }
  for (std::uint64_t r = 0; r < options.relations; ++r)
    parts.relation_texts.add(fmt::format("leads {} to", group_words(r)));
}

}  // namespace

std::string synthetic_entity_id(EntityId entity) { return fmt::format("Q{}", entity); }
std::string synthetic_relation_id(RelationId relation) { return fmt::format("P{}", relation); }

void for_each_synthetic(const SyntheticOptions& options, const std::function<void(const Triple&)>& visit) {
  Generator generator(options);
  for (std::uint64_t i = 0; i < options.triples; ++i) visit(generator.draw(i));
}

void write_synthetic_triples(const std::filesystem::path& file, const SyntheticOptions& options) {
  AtomicFile out(file);
  fmt::memory_buffer lines;
  for_each_synthetic(options, [&](const Triple& t) {
    fmt::format_to(std::back_inserter(lines), "Q{}\tP{}\tQ{}\n", t.head, t.relation, t.tail);
    if (lines.size() < (1 << 16)) return;
    out.write(lines.data(), lines.size());
    lines.clear();
  });
  out.write(lines.data(), lines.size());
  out.commit();
}

Graph synthetic_graph(const SyntheticOptions& options) {
  Generator generator(options);
  const auto entities = static_cast<EntityId>(options.entities);
  std::vector<Triple> triples;
  // Repetitions are dropped and drawn anew; a graph too dense for that is left smaller.
  constexpr int kRounds = 20;
  std::uint64_t number = 0;
  for (int round = 0; round < kRounds && triples.size() < options.triples; ++round) {
    while (triples.size() < options.triples) triples.push_back(generator.draw(number++));
    drop_duplicates(triples, entities, [](const Triple&) { return std::string(); });
  }
  GraphParts parts;
  parts.found.source = "synthetic";
  for (EntityId e = 0; e < entities; ++e) parts.entities.add(synthetic_entity_id(e));
  for (std::uint64_t r = 0; r < options.relations; ++r)
    parts.relations.add(synthetic_relation_id(static_cast<RelationId>(r)));
  if (options.texts) add_texts(options, parts);
  parts.triples =
      split_triples(std::move(triples), entities, static_cast<RelationId>(options.relations), options.split);
  return Graph(std::move(parts));
}

}  // namespace hasa
