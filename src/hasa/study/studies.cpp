#include "hasa/study/studies.h"

#include <fmt/format.h>

#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/nearest.h"
#include "hasa/study/false_negatives.h"

namespace hasa {

std::span<const Study> studies() {
  static const std::vector<Study> kAll = {false_negatives_study()};
  return kAll;
}

const Study& study_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Study& study : studies()) {
    if (study.name == name) return study;
    names.push_back(study.name);
  }
  fail(ErrorKind::config, "there is no study \"{}\"{}\nthe studies are {}", name, did_you_mean(name, names),
       fmt::join(names, ", "));
}

}  // namespace hasa
