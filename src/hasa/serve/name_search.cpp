#include "hasa/serve/name_search.h"

#include <algorithm>
#include <limits>

#include "hasa/serve/loose_name.h"

namespace hasa {
namespace {

constexpr char kLineEnd = '\n';
constexpr std::size_t kMostLookedAt = 4096;  // places for one search
constexpr std::size_t kHitsToSpare = 64;

/// Letters and digits of ASCII, and every byte of other characters.
bool is_of_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

bool begins_word(std::string_view text, std::size_t place) {
  return place == 0 || (is_of_word(text[place]) && !is_of_word(text[place - 1]));
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find(' ', i), text.size());
    if (end > i) words.push_back(text.substr(i, end - i));
    i = end + 1;
  }
  return words;
}

bool has_word_beginning(std::string_view name, std::string_view wanted) {
  for (auto at = name.find(wanted); at != std::string_view::npos; at = name.find(wanted, at + 1)) {
    if (begins_word(name, at)) return true;
  }
  return false;
}

std::uint64_t first_eight(std::string_view text) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < 8; ++i) bytes = bytes << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0);
  return bytes;
}

}  // namespace

NameFit name_fit(std::string_view name, std::string_view wanted) {
  NameFit best = NameFit::none;
  for (const std::string_view each : names_in(name)) {
    if (each == wanted) return NameFit::whole;
    if (each.starts_with(wanted)) best = NameFit::beginning;
  }
  if (name == wanted) return NameFit::whole;
  if (best != NameFit::none) return best;
  if (has_word_beginning(name, wanted)) return NameFit::later_word;
  const auto words = words_of(wanted);
  const bool all = std::all_of(words.begin(), words.end(), [&](auto word) { return has_word_beginning(name, word); });
  return all && !words.empty() ? NameFit::all_words : NameFit::none;
}

NameSearch::NameSearch(const Graph& graph) : degrees_(static_cast<std::size_t>(graph.entities())) {
  for (EntityId e = 0; e < graph.entities(); ++e) {
    add_line(graph.entity_name(e), e, /*is_id=*/false);
    if (graph.has_name(e)) add_line(graph.entity_id(e), e, /*is_id=*/true);
  }
  sort_words();
  for (const Split split : kSplits) {
    for (const Triple& triple : graph.triples(split)) {
      ++degrees_[static_cast<std::size_t>(triple.head)];
      ++degrees_[static_cast<std::size_t>(triple.tail)];
    }
  }
}

void NameSearch::add_line(std::string_view name, EntityId entity, bool is_id) {
  std::string line = loosely(name);
  std::replace(line.begin(), line.end(), kLineEnd, ' ');
  lines_.push_back({text_.size(), entity, is_id});
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (begins_word(line, i)) words_.push_back({first_eight(std::string_view(line).substr(i)), text_.size() + i});
  }
  text_ += line;
  text_ += kLineEnd;
}

void NameSearch::sort_words() {
  const std::string_view text = text_;
  const auto rest = [&](const Word& word) {
    return text.substr(word.place, text.find(kLineEnd, word.place) - word.place);
  };
  std::sort(words_.begin(), words_.end(), [&](const Word& a, const Word& b) {
    if (a.beginning != b.beginning) return a.beginning < b.beginning;
    const int order = rest(a).compare(rest(b));
    return order != 0 ? order < 0 : a.place < b.place;
  });
}

NameSearch::Range NameSearch::words_beginning(std::string_view wanted) const {
  const std::string_view text = text_;
  const auto order = [&](const Word& word) { return text.substr(word.place, wanted.size()).compare(wanted); };
  // Where all eight letters are wanted they narrow it down without a look at the text.
  const std::uint64_t least = first_eight(wanted);
  const std::uint64_t open = wanted.size() < 8 ? std::numeric_limits<std::uint64_t>::max() >> (8 * wanted.size()) : 0;
  const auto first = std::lower_bound(words_.begin(), words_.end(), least,
                                      [](const Word& word, std::uint64_t value) { return word.beginning < value; });
  const auto last = std::upper_bound(first, words_.end(), least | open,
                                     [](std::uint64_t value, const Word& word) { return value < word.beginning; });
  const auto begin = std::partition_point(first, last, [&](const Word& word) { return order(word) < 0; });
  const auto end = std::partition_point(begin, last, [&](const Word& word) { return order(word) == 0; });
  return {static_cast<std::size_t>(begin - words_.begin()), static_cast<std::size_t>(end - words_.begin())};
}

const NameSearch::Line& NameSearch::line_at(std::uint64_t place) const {
  const auto after = std::upper_bound(lines_.begin(), lines_.end(), place,
                                      [](std::uint64_t value, const Line& line) { return value < line.begin; });
  return *(after - 1);
}

std::string_view NameSearch::text_of(const Line& line) const {
  return std::string_view(text_).substr(line.begin, text_.find(kLineEnd, line.begin) - line.begin);
}

NameSearch::Called NameSearch::called(std::string_view wanted) const {
  Called called;
  if (wanted.empty()) return called;
  const auto [first, last] = words_beginning(wanted);
  for (std::size_t i = first; i < last; ++i) {
    const Line& line = line_at(words_[i].place);
    const std::string_view text = text_of(line);
    if (name_fit(text, wanted) != NameFit::whole) continue;
    const auto names = names_in(text);
    const bool is_listed = !line.is_id && std::find(names.begin(), names.end(), wanted) != names.end();
    (is_listed ? called.listed : called.whole).push_back(line.entity);
  }
  for (std::vector<EntityId>* entities : {&called.listed, &called.whole}) {
    std::sort(entities->begin(), entities->end());
    entities->erase(std::unique(entities->begin(), entities->end()), entities->end());
  }
  return called;
}

void NameSearch::add_hits(Range range, std::string_view wanted, std::vector<Hit>& hits) const {
  const std::size_t last = std::min(range.second, range.first + kMostLookedAt);
  for (std::size_t i = range.first; i < last; ++i) {
    const Line& line = line_at(words_[i].place);
    const NameFit fit = name_fit(text_of(line), wanted);
    if (fit != NameFit::none) hits.push_back({line.entity, fit, degrees_[static_cast<std::size_t>(line.entity)]});
  }
}

std::vector<NameSearch::Hit> NameSearch::search(std::string_view wanted, std::size_t limit) const {
  std::vector<Hit> hits;
  if (wanted.empty()) return hits;
  add_hits(words_beginning(wanted), wanted, hits);
  const auto words = words_of(wanted);
  if (hits.size() < limit && words.size() > 1) {  // the words apart: those of the rarest
    Range rarest = words_beginning(words.front());
    for (const std::string_view word : words) {
      const Range range = words_beginning(word);
      if (range.second - range.first < rarest.second - rarest.first) rarest = range;
    }
    add_hits(rarest, wanted, hits);
  }
  std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
    return a.entity != b.entity ? a.entity < b.entity : a.fit < b.fit;
  });
  const auto same = [](const Hit& a, const Hit& b) { return a.entity == b.entity; };
  hits.erase(std::unique(hits.begin(), hits.end(), same), hits.end());
  std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
    return a.fit != b.fit ? a.fit < b.fit : a.degree > b.degree;
  });
  hits.resize(std::min(hits.size(), limit + kHitsToSpare));
  return hits;
}

std::vector<EntityId> NameSearch::beginning_alike(std::string_view wanted) const {
  std::vector<EntityId> entities;
  const auto [first, last] = words_beginning(wanted.substr(0, 2));
  for (std::size_t i = first; i < std::min(last, first + kMostLookedAt); ++i)
    entities.push_back(line_at(words_[i].place).entity);
  std::sort(entities.begin(), entities.end());
  entities.erase(std::unique(entities.begin(), entities.end()), entities.end());
  return entities;
}

}  // namespace hasa
