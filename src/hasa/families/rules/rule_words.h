#pragma once

#include <string>

#include "hasa/families/rules/rule_book.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// "is part of(X, Y)  <=  is a kind of(X, Z), is part of(Z, Y)": an inverse relation is written as
/// the relation, with its entities exchanged.
std::string to_words(const Rule& rule, const Graph& graph);

/// The same for a prediction: ".750 (3 of 4)  <rule>  with Z = fox, wolf". A few values of Z are named, the others
/// counted.
std::string to_words(const Firing& firing, const Graph& graph);

}  // namespace hasa
