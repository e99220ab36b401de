#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "hasa/serve/predictor.h"

namespace hasa {

// Files of questions and of answers to them.

/// A line of such a file, and its question: "dog<TAB>hypernym<TAB>?".
struct FileQuestion {
  std::string head, relation, tail;  // ids; "?" for what is asked
  std::variant<Question, RelationQuestion> question;
};

/// Entities and relations go by id or name; empty lines are passed over. Throws Refusal or config with file and line.
std::vector<FileQuestion> read_questions(const ServedRun& run, const LiveState& state,
                                         const std::filesystem::path& file);

enum class AnswersForm {
  tsv,    ///< a header, then a line for each answer: head, relation, tail, rank, score, probability, known
  jsonl,  ///< a line for each question: {"head", "relation", "tail", "answers": [{"id", "name", "score", ...}]}
};
/// Throws config unless the file's name ends in .tsv or .jsonl.
AnswersForm answers_form(const std::filesystem::path& file);

struct AnswerFileOptions {
  AnswersForm form = AnswersForm::tsv;
  std::int64_t top = 10;
  bool new_only = false;
};
/// Writes the answers to all questions, in their order, with a progress bar. The file is written atomically.
void answer_questions(const Predictor& predictor, const LiveState& state, const std::vector<FileQuestion>& questions,
                      const AnswerFileOptions& options, const std::filesystem::path& file);

}  // namespace hasa
