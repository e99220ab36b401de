#pragma once

// Graphs that the tests of this folder share; never included by the library.

#include <fmt/format.h>

#include <string>

#include "hasa/kg/read_benchmark.h"

namespace hasa::testing {

/// Lines of a benchmark's files. A split that is left empty gets the first training triple: none may have no lines.
inline Graph graph_of(const std::string& train, std::string valid, std::string test) {
  const std::string first = train.substr(0, train.find('\n') + 1);
  if (valid.empty()) valid = first;
  if (test.empty()) test = first;
  return parse_benchmark({"made up", {"train.txt", train}, {"valid.txt", valid}, {"test.txt", test}, {}, {}}, {});
}

/// People live in cities, cities lie in countries, and people are citizens of the country their city lies in: the third
/// follows from the first two along a path, and from nothing else. Every fifth person's country is not in training.
inline Graph citizens(int people = 40, int cities = 8, int countries = 3) {
  std::string train, test;
  for (int c = 0; c < cities; ++c) train += fmt::format("city{}\tlies_in\tcountry{}\n", c, c % countries);
  for (int p = 0; p < people; ++p) {
    train += fmt::format("person{}\tlives_in\tcity{}\n", p, p % cities);
    (p % 5 == 0 ? test : train) += fmt::format("person{}\tcitizen_of\tcountry{}\n", p, p % cities % countries);
  }
  return graph_of(train, "person0\tcitizen_of\tcountry0\n", test.substr(test.find('\n') + 1));
}

/// The same, where people also like things that are found in a country. For those in training it is any country; for
/// those that are asked it happens to be theirs, so that two paths of two edges lead to the answer, one of them by
/// luck.
inline Graph citizens_who_like_things() {
  std::string train, test;
  for (int c = 0; c < 8; ++c) train += fmt::format("city{}\tlies_in\tcountry{}\n", c, c % 3);
  for (int thing = 0; thing < 3; ++thing) train += fmt::format("thing{}\tfound_in\tcountry{}\n", thing, thing);
  for (int p = 0; p < 60; ++p) {
    const bool asked = p % 5 == 0;
    const int country = p % 8 % 3;
    train += fmt::format("person{}\tlives_in\tcity{}\n", p, p % 8);
    train += fmt::format("person{}\tlikes\tthing{}\n", p, asked ? country : (p / 7) % 3);
    (asked ? test : train) += fmt::format("person{}\tcitizen_of\tcountry{}\n", p, country);
  }
  return graph_of(train, "", test);
}

}  // namespace hasa::testing
