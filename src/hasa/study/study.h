#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "hasa/base/config.h"
#include "hasa/study/study_context.h"
#include "hasa/study/study_result.h"

namespace hasa {

/// A study with its options, ready to run.
class StudyJob {
 public:
  StudyJob() = default;
  StudyJob(const StudyJob&) = delete;
  StudyJob& operator=(const StudyJob&) = delete;
  virtual ~StudyJob() = default;

  /// For --set and config.yaml; valid while the job lives.
  virtual Fields options() = 0;
  virtual StudyResult run(StudyContext& context) const = 0;
};

/// One of the paper's studies, or one of ours: what `hasa study NAME` runs.
struct Study {
  std::string name;  // "false-negatives"
  std::string doc;   // in a line
  std::function<std::unique_ptr<StudyJob>(StudySize)> job;
};

/// A study is a struct of options (base/config.h) with `static Config of(StudySize)`, its defaults for each size, and a
/// function from those to a result:
///
///   Study false_negatives_study() {
///     return make_study<FalseNegativesConfig>("false-negatives", "...", run_false_negatives);
///   }
///
/// The function asks its context for graphs, trained runs and pieces of work that are kept; what it makes of them is
/// computed anew at each call, so it is cheap, and in a function of its own that a test can give other data.
template <class Config>
Study make_study(std::string name, std::string doc, StudyResult (*run)(const Config&, StudyContext&)) {
  class Job : public StudyJob {
   public:
    Job(const Config& config, StudyResult (*run)(const Config&, StudyContext&)) : config_(config), run_(run) {}
    Fields options() override { return fields_of(config_); }
    StudyResult run(StudyContext& context) const override { return run_(config_, context); }

   private:
    Config config_;
    StudyResult (*run_)(const Config&, StudyContext&);
  };
  return {std::move(name), std::move(doc), [run](StudySize size) { return std::make_unique<Job>(Config::of(size), run); }};
}

}  // namespace hasa
