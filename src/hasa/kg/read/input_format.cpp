#include "hasa/kg/read/input_format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/nearest.h"
#include "hasa/kg/read/byte_source.h"

namespace hasa {
namespace {

using Ending = std::pair<std::string_view, InputFormat>;
constexpr std::array kEndings = {
    Ending{".tsv", InputFormat::tsv},         Ending{".csv", InputFormat::csv},
    Ending{".jsonl", InputFormat::jsonl},     Ending{".ndjson", InputFormat::jsonl},
    Ending{".json", InputFormat::jsonl},      Ending{".nt", InputFormat::ntriples},
    Ending{".nq", InputFormat::ntriples},     Ending{".ntriples", InputFormat::ntriples},
    Ending{".nquads", InputFormat::ntriples}, Ending{".ttl", InputFormat::turtle},
    Ending{".turtle", InputFormat::turtle},   Ending{".n3", InputFormat::turtle},
    Ending{".trig", InputFormat::trig},
};

using Word = std::pair<InputFormat, const char*>;
constexpr std::array kWords = {
    Word{InputFormat::automatic, "auto"}, Word{InputFormat::tsv, "tsv"},           Word{InputFormat::csv, "csv"},
    Word{InputFormat::jsonl, "jsonl"},    Word{InputFormat::ntriples, "ntriples"}, Word{InputFormat::turtle, "turtle"},
    Word{InputFormat::trig, "trig"},      Word{InputFormat::kgtk, "kgtk"},
};

/// The first line that is neither blank nor a comment of RDF.
std::string_view first_line(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t from = line.find_first_not_of(" \t\r");
    if (from != std::string_view::npos && line[from] != '#') return line.substr(from);
  }
  return {};
}

bool starts_with_word(std::string_view line, std::string_view word) {
  return line.size() > word.size() && std::equal(word.begin(), word.end(), line.begin(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
         });
}

}  // namespace

InputFormat format_by_name(std::string_view name) {
  std::string lower(unpacked_name(name));
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const auto& [ending, format] : kEndings) {
    if (lower.ends_with(ending)) return format;
  }
  return InputFormat::automatic;
}

bool is_separated(std::string_view name) {
  const InputFormat format = format_by_name(name);
  return format == InputFormat::tsv || format == InputFormat::csv || format == InputFormat::automatic;
}

InputFormat format_by_look(std::string_view beginning) {
  const std::string_view line = first_line(beginning);
  if (line.starts_with('{')) return InputFormat::jsonl;
  for (const std::string_view word : {"@prefix ", "@base ", "prefix ", "base <"}) {
    if (starts_with_word(line, word)) return InputFormat::turtle;
  }
  const bool node = line.starts_with('<') || line.starts_with("_:");
  const std::size_t last = line.find_last_not_of(" \t\r");
  if (node && last != std::string_view::npos && line[last] == '.') return InputFormat::ntriples;
  return InputFormat::tsv;
}

const char* to_string(InputFormat format) {
  for (const auto& [known, word] : kWords) {
    if (known == format) return word;
  }
  return "?";
}

InputFormat input_format_of(std::string_view wanted) {
  std::vector<std::string> words;
  for (const auto& [format, word] : kWords) {
    if (wanted == word) return format;
    words.emplace_back(word);
  }
  fail(ErrorKind::config, "there is no format {}; expected one of {}", wanted, fmt::join(words, ", "));
}

}  // namespace hasa
