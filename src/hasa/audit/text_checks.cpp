#include "hasa/audit/text_checks.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <unordered_map>

#include "hasa/audit/words.h"
#include "hasa/base/hash.h"
#include "hasa/base/rng.h"
#include "hasa/base/shown_text.h"
#include "hasa/base/thread_pool.h"
#include "hasa/kg/fold_case.h"

namespace hasa {
namespace {

constexpr double kNear = 0.8;
constexpr std::size_t kBands = 8, kRows = 4, kHashes = kBands * kRows;
constexpr std::size_t kShownOfAText = 70;
constexpr std::size_t kFewestWords = 5;  // shorter texts are alike by chance

/// Hashes of every three words in a row, sorted and distinct.
std::vector<std::uint64_t> shingles_of(std::string_view text) {
  const std::vector<std::uint64_t> words = word_hashes(text);
  std::vector<std::uint64_t> shingles;
  if (words.size() < 3) {
    if (!words.empty()) shingles.push_back(hash_bytes(words.data(), words.size() * sizeof words[0]));
    return shingles;
  }
  for (std::size_t i = 0; i + 3 <= words.size(); ++i)
    shingles.push_back(hash_bytes(words.data() + i, 3 * sizeof words[0]));
  std::sort(shingles.begin(), shingles.end());
  shingles.erase(std::unique(shingles.begin(), shingles.end()), shingles.end());
  return shingles;
}

double jaccard(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  std::size_t both = 0;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (*x == *y) {
      ++both;
      ++x;
      ++y;
    } else {
      ++(*x < *y ? x : y);
    }
  }
  const std::size_t any = a.size() + b.size() - both;
  return any == 0 ? 0 : static_cast<double>(both) / static_cast<double>(any);
}

/// Two texts that share most shingles agree in all rows of some band with near certainty (Broder, 1997).
std::array<std::uint64_t, kBands> bands_of(const std::vector<std::uint64_t>& shingles) {
  std::array<std::uint64_t, kHashes> least;
  least.fill(std::numeric_limits<std::uint64_t>::max());
  for (const std::uint64_t shingle : shingles) {
    std::uint64_t x = shingle;
    for (std::uint64_t& low : least) {
      x = x * 6364136223846793005U + 1442695040888963407U;  // one hash after another of the same shingle
      low = std::min(low, x ^ (x >> 29));
    }
  }
  std::array<std::uint64_t, kBands> bands;
  for (std::size_t i = 0; i < kBands; ++i) bands[i] = hash_bytes(least.data() + i * kRows, kRows * sizeof least[0], i);
  return bands;
}

std::string entity_and_text(const Graph& graph, EntityId entity) {
  return fmt::format("{}: {}", graph.entity_name(entity), shown(graph.entity_description(entity), kShownOfAText));
}

void find_same(const Graph& graph, TextChecks& checks) {
  std::unordered_map<std::uint64_t, std::vector<EntityId>> by_hash;
  for (EntityId e = 0; e < graph.entities(); ++e) {
    const std::vector<std::uint64_t> words = word_hashes(graph.entity_description(e));
    if (words.empty()) continue;
    by_hash[hash_bytes(words.data(), words.size() * sizeof words[0])].push_back(e);
  }
  std::vector<const std::vector<EntityId>*> groups;
  for (const auto& [hash, entities] : by_hash) {
    if (entities.size() > 1) groups.push_back(&entities);
  }
  std::sort(groups.begin(), groups.end(), [](const auto* a, const auto* b) {
    return a->size() != b->size() ? a->size() > b->size() : a->front() < b->front();
  });
  for (const std::vector<EntityId>* group : groups) {
    for (const EntityId e : *group) checks.alike[static_cast<std::size_t>(e)] = true;
    if (checks.same_texts.examples.size() < Finding::kExamples)
      checks.same_texts.examples.push_back(
          fmt::format("{} entities, as {}", group->size(), entity_and_text(graph, group->front())));
    checks.same_texts.count += group->size();
  }
}

void find_near(const Graph& graph, TextChecks& checks) {
  const std::vector<bool> same = checks.alike;
  const auto size = static_cast<std::size_t>(graph.entities());
  std::vector<std::array<std::uint64_t, kBands>> bands(size);
  std::vector<char> sought(size, 0);
  parallel_for(size, 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      const auto shingles = shingles_of(graph.entity_description(static_cast<EntityId>(e)));
      if (same[e] || shingles.size() + 2 < kFewestWords) continue;
      bands[e] = bands_of(shingles);
      sought[e] = 1;
    }
  });
  std::vector<bool> near(size);
  std::vector<std::pair<std::uint64_t, EntityId>> entries;
  for (std::size_t band = 0; band < kBands; ++band) {
    entries.clear();
    for (std::size_t e = 0; e < size; ++e) {
      if (sought[e] != 0) entries.emplace_back(bands[e][band], static_cast<EntityId>(e));
    }
    std::sort(entries.begin(), entries.end());
    // Neighbours in order agree in the band; whether they are near is asked of the texts themselves.
    for (std::size_t i = 1; i < entries.size(); ++i) {
      const EntityId a = entries[i - 1].second, b = entries[i].second;
      const bool known = near[static_cast<std::size_t>(a)] && near[static_cast<std::size_t>(b)];
      if (entries[i - 1].first != entries[i].first || known) continue;
      if (text_overlap(graph.entity_description(a), graph.entity_description(b)) < kNear) continue;
      near[static_cast<std::size_t>(a)] = near[static_cast<std::size_t>(b)] = true;
      if (checks.near_texts.examples.size() < Finding::kExamples)
        checks.near_texts.examples.push_back(fmt::format("{} and {}", entity_and_text(graph, a), graph.entity_name(b)));
    }
  }
  checks.near_texts.count = static_cast<std::uint64_t>(std::count(near.begin(), near.end(), true));
  for (std::size_t e = 0; e < size; ++e) checks.alike[e] = same[e] || near[e];
}

std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

bool ends_in_ellipsis(std::string_view text) { return text.ends_with("...") || text.ends_with("\xE2\x80\xA6"); }
bool ends_sentence(std::string_view text) {
  constexpr std::string_view kEnds = ".!?)\"'";
  return !text.empty() && kEnds.find(text.back()) != std::string_view::npos;
}

/// The greatest length, if so many texts have exactly it and end in the middle that somebody cut them there.
std::uint64_t length_of_cut(const Graph& graph) {
  constexpr std::size_t kFewest = 5;
  std::map<std::size_t, std::size_t> open_by_length;
  std::size_t longest = 0, texts = 0;
  for (EntityId e = 0; e < graph.entities(); ++e) {
    const std::string_view text = graph.entity_description(e);
    if (text.empty()) continue;
    const std::size_t length = characters_in(text);
    longest = std::max(longest, length);
    ++texts;
    if (!ends_sentence(text)) ++open_by_length[length];
  }
  const auto found = open_by_length.find(longest);
  const std::size_t cut = found == open_by_length.end() ? 0 : found->second;
  return cut >= kFewest && 200 * cut >= texts ? longest : 0;
}

void find_truncated(const Graph& graph, TextChecks& checks) {
  checks.cut_length = length_of_cut(graph);
  for (EntityId e = 0; e < graph.entities(); ++e) {
    const std::string_view text = graph.entity_description(e);
    const bool cut = checks.cut_length > 0 && characters_in(text) == checks.cut_length && !ends_sentence(text);
    if (cut || ends_in_ellipsis(text)) {
      const std::size_t from = text.size() - std::min<std::size_t>(text.size(), kShownOfAText);
      checks.truncated.add(fmt::format("{}: ...{}", graph.entity_name(e), shown(text.substr(from))));
    }
  }
}

/// Whether the name stands in the text as whole words, in any case.
bool names(std::string_view folded_text, const std::string& folded_name) {
  constexpr std::size_t kShortestName = 4;  // shorter ones are in everything
  if (folded_name.size() < kShortestName) return false;
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || (c & 0x80) != 0; };
  for (std::size_t at = 0; (at = folded_text.find(folded_name, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + folded_name.size();
    if ((at == 0 || !is_part(folded_text[at - 1])) && (end == folded_text.size() || !is_part(folded_text[end])))
      return true;
  }
  return false;
}

class AnswersInTexts {
 public:
  explicit AnswersInTexts(const Graph& graph) : graph_(graph) {}

  /// Whether the description of `given` names `answer`.
  bool told(EntityId given, EntityId answer) const {
    return given != answer && names(fold_case(graph_.entity_description(given)), fold_case(graph_.entity_name(answer)));
  }

 private:
  const Graph& graph_;
};

void find_answers_in_texts(const Graph& graph, std::size_t most, TextChecks& checks) {
  const AnswersInTexts texts(graph);
  for (const Split split : {Split::train, Split::test}) {
    std::vector<Triple> sample(graph.triples(split).begin(), graph.triples(split).end());
    if (sample.size() > most) {
      Rng rng(1, "audit answers in texts", static_cast<std::uint64_t>(split));
      rng.shuffle(sample);
      sample.resize(most);
    }
    std::vector<std::array<char, 2>> told(sample.size());
    parallel_for(sample.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        told[i] = {texts.told(sample[i].head, sample[i].tail), texts.told(sample[i].tail, sample[i].head)};
    });
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const Triple& t = sample[i];
      for (const bool of_head : {true, false}) {
        const bool is_told = told[i][of_head ? 0 : 1] != 0;
        ++(split == Split::train ? checks.train_queries : checks.test_queries);
        if (split == Split::train) {
          checks.train_answer_in_text += is_told ? 1 : 0;
        } else if (is_told) {
          const EntityId given = of_head ? t.head : t.tail, answer = of_head ? t.tail : t.head;
          checks.answer_in_text.add(
              fmt::format("{} is named by {}", graph.entity_name(answer), entity_and_text(graph, given)));
        }
      }
    }
  }
}

}  // namespace

double text_overlap(std::string_view a, std::string_view b) { return jaccard(shingles_of(a), shingles_of(b)); }

TextChecks check_texts(const Graph& graph, const TextCheckOptions& options) {
  TextChecks checks;
  checks.alike.resize(static_cast<std::size_t>(graph.entities()));
  find_same(graph, checks);
  checks.near_left_out = static_cast<std::size_t>(graph.entities()) > options.most_entities;
  if (!checks.near_left_out) find_near(graph, checks);
  find_truncated(graph, checks);
  find_answers_in_texts(graph, options.most_triples, checks);
  return checks;
}

}  // namespace hasa
