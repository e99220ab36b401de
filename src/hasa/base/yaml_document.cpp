#include "hasa/base/yaml_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "hasa/base/config_words.h"
#include "hasa/base/error.h"
#include "hasa/base/nearest.h"

namespace hasa::detail {
namespace {

const std::vector<std::string> kSearchMarks{"range", "log_range", "choices"};

/// The key of a section with one entry, otherwise "".
std::string only_key(const YAML::Node& value) {
  if (!value.IsMap() || value.size() != 1 || !value.begin()->first.IsScalar()) return "";
  return value.begin()->first.Scalar();
}

void refuse_repetitions(const YAML::Node& node, const std::string& prefix, const std::string& source) {
  if (!node.IsMap()) return;
  std::map<std::string, int> lines;
  for (const auto& entry : node) {
    if (!entry.first.IsScalar()) continue;  // refused as an option's name
    const std::string key = join(prefix, entry.first.Scalar());
    const auto [first, is_new] = lines.emplace(entry.first.Scalar(), entry.first.Mark().line + 1);
    HASA_CHECK(is_new, config, "{}: {} is given twice, first in line {}\nleave one of them out",
               line_of(entry.first, source), key, first->second);
    refuse_repetitions(entry.second, key, source);
  }
}

}  // namespace

std::string line_of(const YAML::Node& node, const std::string& source) {
  return fmt::format("{}:{}", source, node.Mark().line + 1);
}

YAML::Node load_yaml(const std::string& yaml, const std::string& source) {
  std::vector<YAML::Node> documents;
  try {
    documents = YAML::LoadAll(yaml);
  } catch (const YAML::Exception& problem) {
    fail(ErrorKind::config, "{}:{}: not YAML: {}", source, problem.mark.line + 1, problem.msg);
  }
  if (documents.empty()) return {};
  HASA_CHECK(documents.size() == 1, config,
             "{}: there are {} documents, parted by ---, and options are read from one\nput them into one",
             documents[1].IsNull() ? source : line_of(documents[1], source), documents.size());
  refuse_repetitions(documents.front(), "", source);
  return documents.front();
}

bool is_search_mark(const YAML::Node& value) {
  return std::ranges::find(kSearchMarks, only_key(value)) != kSearchMarks.end();
}

std::string search_mark_meant(const YAML::Node& value) { return did_you_mean(only_key(value), kSearchMarks); }

}  // namespace hasa::detail
