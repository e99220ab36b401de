#include "hasa/kg/read/rdf_statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hasa/base/shown_text.h"

namespace hasa {
namespace {

constexpr std::size_t kPropertiesOfAKind = 8;
constexpr std::size_t kShownOfALiteral = 60;

bool equal_without_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

RdfTexts::RdfTexts(std::vector<std::string> languages) : languages_(std::move(languages)) {
  constexpr std::string_view kNames[] = {"http://www.w3.org/2000/01/rdf-schema#label",
                                         "http://www.w3.org/2004/02/skos/core#prefLabel", "http://schema.org/name",
                                         "https://schema.org/name", "http://xmlns.com/foaf/0.1/name"};
  constexpr std::string_view kDescriptions[] = {"http://schema.org/description",
                                                "https://schema.org/description",
                                                "http://www.w3.org/2000/01/rdf-schema#comment",
                                                "http://www.w3.org/2004/02/skos/core#definition",
                                                "http://purl.org/dc/terms/description",
                                                "http://dbpedia.org/ontology/abstract"};
  std::uint8_t rank = 0;
  for (const std::string_view property : kNames) properties_[property] = {TextKind::name, rank++};
  rank = 0;
  for (const std::string_view property : kDescriptions) properties_[property] = {TextKind::description, rank++};
}

std::uint8_t RdfTexts::rank_of(std::string_view language) const {
  constexpr std::size_t kMostLanguages = 10;
  const std::size_t count = std::min(languages_.size(), kMostLanguages);
  std::size_t place = 2 * count + (language.empty() ? 0 : 1);
  for (std::size_t i = 0; i < count && !language.empty(); ++i) {
    const std::string& wanted = languages_[i];
    const bool variant = language.size() > wanted.size() && language[wanted.size()] == '-';
    if (!equal_without_case(language.substr(0, wanted.size()), wanted)) continue;
    if (language.size() != wanted.size() && !variant) continue;
    place = 2 * i + (variant ? 1 : 0);
    break;
  }
  return static_cast<std::uint8_t>(place * kPropertiesOfAKind);
}

std::optional<RdfTexts::Use> RdfTexts::use_of(std::string_view property, std::string_view language) const {
  const auto found = properties_.find(property);
  if (found == properties_.end()) return std::nullopt;
  return Use{found->second.kind, static_cast<std::uint8_t>(rank_of(language) + found->second.rank)};
}

std::int32_t RdfStatements::entity(const RdfTerm& term) {
  if (term.kind == RdfTerm::Kind::blank)
    return into_.entities.add(fmt::format("_:{}{}", blank_scope_, term.text), into_.arena);
  if (term.text.starts_with(kOwnNamespace)) return into_.entities.add(id_of_iri(term.text), into_.arena);
  return term.stays ? into_.entities.add(term.text) : into_.entities.add(term.text, into_.arena);
}

std::int32_t RdfStatements::relation(const RdfTerm& term) {
  if (term.text.starts_with(kOwnNamespace)) return into_.relations.add(id_of_iri(term.text), into_.arena);
  return term.stays ? into_.relations.add(term.text) : into_.relations.add(term.text, into_.arena);
}

void RdfStatements::add(const RdfTerm& subject, const RdfTerm& predicate, const RdfTerm& object) {
  if (object.kind != RdfTerm::Kind::literal) {
    const std::int32_t head = entity(subject);
    const std::int32_t between = relation(predicate);
    into_.triples.push_back({head, between, entity(object)});
    return;
  }
  if (const auto use = texts_.use_of(predicate.text, object.language)) {
    const std::string_view text = object.stays ? object.text : into_.arena.keep(object.text);
    into_.texts.push_back({entity(subject), false, use->kind, use->rank, text});
    return;
  }
  ++into_.left_out.count;
  if (into_.left_out.examples.size() < Finding::kExamples)
    into_.left_out.examples.push_back(
        fmt::format("{} {} \"{}\"", subject.text, predicate.text, shown(object.text, kShownOfALiteral)));
}

}  // namespace hasa
