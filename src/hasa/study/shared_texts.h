#pragma once

#include "hasa/study/study_context.h"

namespace hasa {

/// Where the config freezes its language model: what it makes of the texts of `from` is put beside `to`, a graph with
/// the same entities and relations, so that they are not read again. Else nothing.
void share_texts(const StudyGraph& from, const StudyGraph& to, const RunConfig& config, const StudyContext& context);

}  // namespace hasa
