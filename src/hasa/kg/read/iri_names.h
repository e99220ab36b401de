#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace hasa {

/// Short forms of IRIs: "http://www.wikidata.org/entity/Q42" is wd:Q42. Namespaces that everybody shortens alike are
/// known; files declare others.
class Prefixes {
 public:
  Prefixes();
  void declare(std::string_view prefix, std::string_view name_space);

  /// "prefix:rest" where the namespace has a prefix, else the part behind the last # or /. "" for what is no
  /// hierarchical IRI (scheme://...), and where nothing would be left.
  std::string shortened(std::string_view iri) const;

 private:
  std::unordered_map<std::string, std::string> prefix_of_;  // by namespace
};

/// Whether the text can stand between < and > as it is: a scheme, and no character that IRIs exclude.
bool is_iri(std::string_view text);

/// An id as an IRI: itself when it is one, else in a namespace of our own, from which id_of_iri() takes it back.
std::string iri_of_id(std::string_view id);
std::string id_of_iri(std::string_view iri);
/// The id in that namespace, be it an IRI itself or not.
std::string wrapped_id(std::string_view id);
inline constexpr std::string_view kOwnNamespace = "urn:hasa:";

/// Whether the id is a blank node's, "_:label", with a label that N-Triples allows.
bool is_blank_node(std::string_view id);

}  // namespace hasa
