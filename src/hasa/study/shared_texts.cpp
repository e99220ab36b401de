#include "hasa/study/shared_texts.h"

#include <variant>

#include "hasa/model/text_embeddings.h"
#include "hasa/ops/core/device.h"

namespace hasa {

void share_texts(const StudyGraph& from, const StudyGraph& to, const RunConfig& config, const StudyContext& context) {
  const auto* frozen = std::get_if<FrozenFamily>(&config.family);
  if (frozen == nullptr) return;
  copy_text_embeddings(from.open(), from.folder, to.open(), to.folder, frozen->text, frozen->language_model,
                       parse_device(context.settings().device));
}

}  // namespace hasa
