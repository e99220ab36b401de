#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/kg/records.h"
#include "hasa/kg/split.h"

namespace hasa {

struct WordnetOptions {
  /// A lexical domain of nouns, such as "animal", "food" or "person"; "" for all of WordNet.
  std::string domain;
  SplitOptions split;
};

/// Where Debian's and Ubuntu's wordnet-base puts its files.
inline const std::filesystem::path kSystemWordnet = "/usr/share/wordnet";

/// Reads WordNet's data.noun, data.verb, data.adj and data.adv (a domain: data.noun alone). An entity is a
/// synset that has a triple; its id is the part of speech and the offset (n02084071), its name its first two
/// words ("dog, domestic dog"), its description its gloss. A relation is a kind of pointer between synsets.
/// Of two that say the same thing from both ends one is taken (hypernym, not hyponym); symmetric ones (verb
/// group, derivationally related form) stay both ways, as WordNet has them. A domain keeps the pointers
/// within it, antonyms and attributes left out.
Graph read_wordnet(const std::filesystem::path& folder = kSystemWordnet, const WordnetOptions& options = {});

struct WordnetTexts {
  std::string source;
  NamedText nouns, verbs, adjectives, adverbs;  // a domain is read from the nouns alone
};

/// The same, from memory.
Graph parse_wordnet(const WordnetTexts& texts, const WordnetOptions& options = {});

/// The noun domains: "act", "animal", "artifact", ...
std::vector<std::string> wordnet_domains();

}  // namespace hasa
