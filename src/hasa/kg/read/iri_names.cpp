#include "hasa/kg/read/iri_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "hasa/base/utf8.h"

namespace hasa {
namespace {

using Known = std::pair<std::string_view, std::string_view>;
constexpr std::array kWellKnown = {
    Known{"rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"},
    Known{"rdfs", "http://www.w3.org/2000/01/rdf-schema#"},
    Known{"owl", "http://www.w3.org/2002/07/owl#"},
    Known{"xsd", "http://www.w3.org/2001/XMLSchema#"},
    Known{"skos", "http://www.w3.org/2004/02/skos/core#"},
    Known{"dcterms", "http://purl.org/dc/terms/"},
    Known{"dc", "http://purl.org/dc/elements/1.1/"},
    Known{"foaf", "http://xmlns.com/foaf/0.1/"},
    Known{"schema", "http://schema.org/"},
    Known{"schema", "https://schema.org/"},
    Known{"prov", "http://www.w3.org/ns/prov#"},
    Known{"wd", "http://www.wikidata.org/entity/"},
    Known{"wdt", "http://www.wikidata.org/prop/direct/"},
    Known{"dbr", "http://dbpedia.org/resource/"},
    Known{"dbo", "http://dbpedia.org/ontology/"},
    Known{"dbp", "http://dbpedia.org/property/"},
    Known{"yago", "http://yago-knowledge.org/resource/"},
    Known{"fb", "http://rdf.freebase.com/ns/"},
    Known{"obo", "http://purl.obolibrary.org/obo/"},
    Known{"geo", "http://www.w3.org/2003/01/geo/wgs84_pos#"},
};

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool has_scheme(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_alpha(text[0])) return false;
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](char c) { return is_alpha(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; });
}

bool stands_in_iri(char c) {
  constexpr std::string_view kExcluded = "<>\"{}|^`\\";
  return static_cast<unsigned char>(c) > 0x20 && c != 0x7F && kExcluded.find(c) == std::string_view::npos;
}

}  // namespace

Prefixes::Prefixes() {
  for (const auto& [prefix, name_space] : kWellKnown) declare(prefix, name_space);
}

void Prefixes::declare(std::string_view prefix, std::string_view name_space) {
  if (!prefix.empty() && !name_space.empty()) prefix_of_[std::string(name_space)] = prefix;
}

std::string Prefixes::shortened(std::string_view iri) const {
  if (iri.find("://") == std::string_view::npos) return "";
  const std::size_t end = iri.find_last_of("#/");
  const std::string_view rest = iri.substr(end + 1);
  if (rest.empty()) return "";
  const auto found = prefix_of_.find(std::string(iri.substr(0, end + 1)));
  return found == prefix_of_.end() ? std::string(rest) : fmt::format("{}:{}", found->second, rest);
}

bool is_iri(std::string_view text) { return has_scheme(text) && std::all_of(text.begin(), text.end(), stands_in_iri); }

std::string iri_of_id(std::string_view id) {
  return is_iri(id) && !id.starts_with(kOwnNamespace) ? std::string(id) : wrapped_id(id);
}

std::string wrapped_id(std::string_view id) {
  std::string iri(kOwnNamespace);
  for (const char c : id) {
    if (stands_in_iri(c) && c != '%') {
      iri += c;
    } else {
      iri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return iri;
}

std::string id_of_iri(std::string_view iri) {
  if (!iri.starts_with(kOwnNamespace)) return std::string(iri);
  const std::string_view whole = iri;
  iri.remove_prefix(kOwnNamespace.size());
  std::string id;
  for (std::size_t i = 0; i < iri.size(); ++i) {
    const auto is_hex = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
    if (iri[i] == '%' && i + 2 < iri.size() && is_hex(iri[i + 1]) && is_hex(iri[i + 2])) {
      unsigned value = 0;
      std::from_chars(iri.data() + i + 1, iri.data() + i + 3, value, 16);
      id += static_cast<char>(value);
      i += 2;
    } else {
      id += iri[i];
    }
  }
  const bool sound = !id.empty() && find_invalid_utf8(id) == std::string_view::npos;
  return sound ? id : std::string(whole);
}

bool is_blank_node(std::string_view id) {
  if (!id.starts_with("_:") || id.size() == 2) return false;
  const std::string_view label = id.substr(2);
  const auto stands = [](char c) {
    return is_alpha(c) || is_digit(c) || c == '_' || c == '-' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
  };
  return std::all_of(label.begin(), label.end(), stands) && label.back() != '.' && label[0] != '-' && label[0] != '.';
}

}  // namespace hasa
