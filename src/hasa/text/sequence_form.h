#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hasa {

/// How the texts of one input follow each other and which token types they have, as a tokenizer writes them.
///
///   BERT:  [CLS] A [SEP] B [SEP] C [SEP]      types: 0 up to and with A's [SEP], 1 with B's, 0 again
///   MPNet: <s> A </s></s> B </s></s> C </s>   no types: all 0
///
/// Tokenizers write one text or a pair. Three are a triple: as in KG-BERT, head and tail share a type.
struct SequenceForm {
  std::int32_t cls = 0, sep = 0;
  std::size_t separators = 1;  // between two texts
  bool token_types = true;

  /// Special tokens of an input of so many texts, at least one.
  std::size_t special_tokens(std::size_t texts) const { return 2 + (texts - 1) * separators; }
};

/// Writes one input at the end of packed ids and their token types. The caller appends each text's pieces to the ids
/// itself, after begin_text():
///
///   SequenceWriter sequence(form, ids, types);
///   sequence.begin_text();  // then A into ids
///   sequence.begin_text();  // then B
///   sequence.finish();
class SequenceWriter {
 public:
  SequenceWriter(const SequenceForm& form, std::vector<std::int32_t>& ids, std::vector<std::int32_t>& types)
      : form_(form), ids_(ids), types_(types) {}

  void begin_text() {
    if (texts_ == 0) {
      ids_.push_back(form_.cls);
    } else {
      end_text(form_.separators);
    }
    ++texts_;
  }
  void finish() { end_text(1); }

 private:
  void end_text(std::size_t separators) {
    ids_.insert(ids_.end(), separators, form_.sep);
    types_.resize(ids_.size(), form_.token_types && texts_ % 2 == 0 ? 1 : 0);
  }

  const SequenceForm& form_;
  std::vector<std::int32_t>& ids_;
  std::vector<std::int32_t>& types_;
  std::size_t texts_ = 0;
};

}  // namespace hasa
