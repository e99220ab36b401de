#pragma once

#include "hasa/kg/line_problems.h"
#include "hasa/kg/read/held_texts.h"
#include "hasa/kg/records.h"
#include "hasa/kg/vocabulary.h"

namespace hasa {

enum class TextLayout {
  name_and_description,           ///< id<TAB>name<TAB>description
  optional_name_and_description,  ///< the same, or id<TAB>description
  words,                          ///< id<TAB>words
};

enum class NewIds {
  add,        ///< an id that the vocabulary does not have is added to it
  leave_out,  ///< its line is left out and counted
};

/// What reading such files found besides texts.
struct TextFindings {
  Finding repeated;  ///< an id's second line in the same file: the first stands
  Finding unused;    ///< lines of ids that are not there
  Finding replaced;  ///< texts other than the one that was there before the file
  Finding unlisted;  ///< ids that no line was about
};

/// Reads the texts of entities or relations into `held`; what was held of an id before gives way. Words are held as
/// descriptions. A first line that names the columns is passed over. Malformed lines go to `problems`. Throws data when
/// the file is empty.
void read_text_lines(const NamedText& file, TextLayout layout, NewIds new_ids, Vocabulary& ids, HeldTexts& held,
                     LineProblems& problems, TextFindings& findings);

}  // namespace hasa
