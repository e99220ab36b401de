#include "hasa/kg/wordnet.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/nearest.h"
#include "hasa/base/shown_text.h"
#include "hasa/base/utf8.h"
#include "hasa/kg/records.h"

namespace hasa {
namespace fs = std::filesystem;
namespace {

/// The lexicographer files 03 to 28 of nouns, in their order (lexnames(5WN)).
constexpr std::array<std::string_view, 26> kDomains = {
    "tops",       "act",     "animal",   "artifact", "attribute", "body",   "cognition", "communication", "event",
    "feeling",    "food",    "group",    "location", "motive",    "object", "person",    "phenomenon",    "plant",
    "possession", "process", "quantity", "relation", "shape",     "state",  "substance", "time"};
constexpr int kFirstDomain = 3;

struct Pointer {
  std::string_view symbol;  // of wninput(5WN)
  std::string_view words;
  bool within_domain;  // also taken when a domain is read
};
constexpr std::array<Pointer, 18> kPointers = {{
    {"@", "hypernym", true},
    {"@i", "instance hypernym", true},
    {"#m", "member of", true},
    {"#s", "substance of", true},
    {"#p", "part of", true},
    {"+", "derivationally related form", true},
    {";c", "domain topic", true},
    {";r", "domain region", true},
    {";u", "domain usage", true},
    {"!", "antonym", false},
    {"=", "attribute", false},
    {"*", "entails", false},
    {">", "causes", false},
    {"^", "also see", false},
    {"$", "verb group", false},
    {"&", "similar to", false},
    {"<", "participle of", false},
    {"\\", "pertains to", false},
}};

const Pointer* find_pointer(std::string_view symbol, bool domain) {
  for (const Pointer& pointer : kPointers) {
    if (pointer.symbol == symbol) return domain && !pointer.within_domain ? nullptr : &pointer;
  }
  return nullptr;
}

/// Part of speech and offset; the satellites of adjectives are in the adjectives' file.
std::string synset_id(char part_of_speech, std::string_view offset) {
  return fmt::format("{}{}", part_of_speech == 's' ? 'a' : part_of_speech, offset);
}

struct Link {
  std::string head;
  std::string_view words;
  std::string tail;
};

struct Synset {
  std::string id, name, gloss;
};

/// Splits a line of a data file at spaces, field by field (wndb(5WN)).
class Fields {
 public:
  Fields(std::string_view line, std::string where) : rest_(line), where_(std::move(where)) {}

  std::string_view next() {
    HASA_CHECK(!rest_.empty(), data, "{}: expected a synset as wndb(5WN) describes it, found: \"{}\"", where_,
               "line end");
    const std::size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view field = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return field;
  }
  std::string_view next_offset() {
    const std::string_view field = next();
    HASA_CHECK(!field.empty() && field.find_first_not_of("0123456789") == std::string_view::npos, data,
               "{}: expected the offset of a synset, found \"{}\"", where_, shown(field, kShownOfALine));
    return field;
  }
  int next_number(int base) {
    const std::string_view field = next();
    int value = -1;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value, base);
    HASA_CHECK(error == std::errc() && end == field.data() + field.size() && value >= 0, data,
               "{}: expected a number, found \"{}\"", where_, shown(field, kShownOfALine));
    return value;
  }

 private:
  std::string_view rest_;
  std::string where_;
};

/// "able(p)" is "able", "domestic_dog" is "domestic dog".
std::string plain_word(std::string_view word) {
  std::string plain(word.substr(0, word.ends_with(')') ? word.find('(') : word.size()));
  std::replace(plain.begin(), plain.end(), '_', ' ');
  return plain;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

struct Wordnet {
  std::vector<Synset> synsets;
  Vocabulary ids;  // of the synsets, in their order
  std::vector<Link> links;
  int domain = -1;  // lexicographer file, or all

  void read(const NamedText& file, char pos) {
    RecordReader reader(file.content, RecordFormat::tsv);
    Record record;
    while (reader.next(record)) {
      if (record.raw.starts_with(' ')) continue;  // the licence
      const std::string where = fmt::format("{}:{}", file.name, record.line);
      HASA_CHECK(find_invalid_utf8(record.raw) == std::string_view::npos, data, "{}: expected UTF-8", where);
      read_synset(record.raw, where, pos);
    }
  }

  void read_synset(std::string_view line, const std::string& where, char pos) {
    const std::size_t bar = line.find('|');
    HASA_CHECK(bar != std::string_view::npos, data, "{}: expected a gloss after |, found: \"{}\"", where,
               shown(line, kShownOfALine));
    Fields fields(line.substr(0, bar), where);
    Synset synset;
    synset.id = synset_id(pos, fields.next_offset());
    if (fields.next_number(10) != domain && domain >= 0) return;
    fields.next();  // part of speech, which the file tells
    const int words = fields.next_number(16);
    for (int i = 0; i < words; ++i) {
      const std::string word = plain_word(fields.next());
      fields.next();  // which of the word's senses
      if (i == 1) synset.name += ", ";
      if (i < 2) synset.name += word;
    }
    const int pointers = fields.next_number(10);
    for (int i = 0; i < pointers; ++i) {
      const std::string_view symbol = fields.next(), offset = fields.next_offset(), target = fields.next();
      fields.next();  // which words are meant
      const Pointer* pointer = find_pointer(symbol, domain >= 0);
      const std::string tail = synset_id(target.empty() ? '?' : target[0], offset);
      if (pointer != nullptr && tail != synset.id) links.push_back({synset.id, pointer->words, tail});
    }
    synset.gloss = trimmed(line.substr(bar + 1));
    ids.add(synset.id);
    HASA_CHECK(ids.size() > synsets.size(), data, "{}: the synset {} is there twice", where, synset.id);
    synsets.push_back(std::move(synset));
  }
};

int domain_number(const std::string& domain) {
  if (domain.empty()) return -1;
  const auto found = std::find(kDomains.begin(), kDomains.end(), domain);
  if (found == kDomains.end()) {
    const std::vector<std::string> names = wordnet_domains();
    fail(ErrorKind::config, "WordNet has no lexical domain {}{}\nits domains are {}", domain,
         did_you_mean(domain, names), fmt::join(names, ", "));
  }
  return kFirstDomain + static_cast<int>(found - kDomains.begin());
}

/// Entities are the synsets that have a link between two of them.
GraphParts parts_of(const Wordnet& wordnet) {
  std::vector<bool> used(wordnet.synsets.size());
  for (const Link& link : wordnet.links) {
    const auto head = wordnet.ids.find(link.head), tail = wordnet.ids.find(link.tail);
    if (head && tail) used[*head] = used[*tail] = true;
  }
  GraphParts parts;
  for (std::size_t i = 0; i < wordnet.synsets.size(); ++i) {
    if (!used[i]) continue;
    parts.entities.add(wordnet.synsets[i].id);
    parts.names.add(wordnet.synsets[i].name);
    parts.descriptions.add(wordnet.synsets[i].gloss);
  }
  return parts;
}

}  // namespace

std::vector<std::string> wordnet_domains() { return {kDomains.begin(), kDomains.end()}; }

Graph read_wordnet(const fs::path& folder, const WordnetOptions& options) {
  const bool all = domain_number(options.domain) < 0;
  MappedFile nouns, verbs, adjectives, adverbs;
  const auto text = [&](const char* name, MappedFile& file) {
    const fs::path path = folder / name;
    std::error_code ignored;
    HASA_CHECK(fs::exists(path, ignored), unavailable,
               "WordNet is not here: there is no {}\ninstall the system package wordnet-base", path.string());
    file = MappedFile(path);
    return NamedText{path.string(), file.text()};
  };
  WordnetTexts texts{folder.string(), text("data.noun", nouns), {}, {}, {}};
  if (all) {
    texts.verbs = text("data.verb", verbs);
    texts.adjectives = text("data.adj", adjectives);
    texts.adverbs = text("data.adv", adverbs);
  }
  return parse_wordnet(texts, options);
}

Graph parse_wordnet(const WordnetTexts& texts, const WordnetOptions& options) {
  Wordnet wordnet;
  wordnet.domain = domain_number(options.domain);
  wordnet.read(texts.nouns, 'n');
  if (wordnet.domain < 0) {
    wordnet.read(texts.verbs, 'v');
    wordnet.read(texts.adjectives, 'a');
    wordnet.read(texts.adverbs, 'r');
  }
  GraphParts parts = parts_of(wordnet);
  parts.found.source = options.domain.empty() ? "wordnet" : "wordnet " + options.domain;
  std::vector<Triple> triples;
  for (const Link& link : wordnet.links) {
    const auto head = parts.entities.find(link.head), tail = parts.entities.find(link.tail);
    if (!head || !tail) continue;
    const std::size_t before = parts.relations.size();
    triples.push_back({*head, parts.relations.add(link.words), *tail});
    if (parts.relations.size() > before) parts.relation_texts.add(link.words);
  }
  HASA_CHECK(!triples.empty(), data, "{} has no links between synsets", texts.source);
  const auto entities = static_cast<EntityId>(parts.entities.size());
  const auto relations = static_cast<RelationId>(parts.relations.size());
  // Pointers between words of two synsets are several; as links between the synsets they are one.
  drop_duplicates(triples, entities, [](const Triple&) { return std::string(); });
  parts.triples = split_triples(std::move(triples), entities, relations, options.split);
  return Graph(std::move(parts));
}

}  // namespace hasa
