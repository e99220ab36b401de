#include "hasa/study/studies.h"

#include <fmt/format.h>

#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/nearest.h"
#include "hasa/study/dimension_and_batch.h"
#include "hasa/study/embeddings_study.h"
#include "hasa/study/false_negatives.h"
#include "hasa/study/future_work.h"
#include "hasa/study/gradients_study.h"
#include "hasa/study/graphs_study.h"
#include "hasa/study/inspector.h"
#include "hasa/study/language_models.h"
#include "hasa/study/learning_curves.h"
#include "hasa/study/loss_table.h"
#include "hasa/study/path_lengths_study.h"
#include "hasa/study/structure_study.h"
#include "hasa/study/systems_study.h"
#include "hasa/study/tau_ablation.h"

namespace hasa {

std::span<const Study> studies() {
  static const std::vector<Study> kAll = {graphs_study(),       false_negatives_study(), gradients_study(),
                                          path_lengths_study(), learning_curves_study(), embeddings_study(),
                                          loss_table_study(),   structure_study(),       tau_ablation_study(),
                                          systems_study(),      language_models_study(), dimension_and_batch_study(),
                                          inspector_study(),    future_work_study()};
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
