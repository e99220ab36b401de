#include <fmt/format.h>

#include <memory>
#include <ranges>
#include <string>
#include <vector>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/study/run_study.h"
#include "hasa/study/studies.h"
#include "output.h"

namespace hasa {
namespace {

struct StudyArguments {
  std::string name, size = "full";
  bool quick = false;
  std::vector<std::string> assignments;
  StudySettings settings;
};

StudySize size_of(const StudyArguments& options) {
  for (const auto& [size, name] : names_of(StudySize{})) {
    if (name == (options.quick ? "quick" : options.size)) return size;
  }
  fail(ErrorKind::config, "--size is {}, expected tiny, quick or full", options.size);
}

void run_studies(StudyArguments options) {
  options.settings.size = size_of(options);
  const bool all = options.name == "all";
  if (!all) study_named(options.name);
  const auto set_for = [&](const Study& study) {
    return all ? assignments_of(options.assignments, study.name) : options.assignments;
  };
  const auto is_wanted = [&](const Study& study) { return all || study.name == options.name; };
  // Whatever is wrong with the options shows before the first study runs.
  for (const Study& study : studies() | std::views::filter(is_wanted)) {
    const std::unique_ptr<StudyJob> job = study.job(options.settings.size);
    for (const std::string& each : set_for(study)) apply_assignment(job->options(), each);
  }
  for (const Study& study : studies() | std::views::filter(is_wanted))
    print(to_text(run_study(study, options.settings, set_for(study))));
}

std::string all_studies() {
  std::string text = "Studies, with their options for --set and the defaults of the full form:\n";
  for (const Study& study : studies()) {
    const std::unique_ptr<StudyJob> job = study.job(StudySize::full);
    text += fmt::format("\n{}: {}\n{}", study.name, study.doc, to_help(job->options()));
  }
  return text;
}

}  // namespace

void add_study(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("study", "the paper's figures and tables, re-run, with what came out in a sentence each");
  const auto options = std::make_shared<StudyArguments>();
  command->add_option("name", options->name, "a study, or all")->required();
  command
      ->add_option("--out", options->settings.out,
                   "folder to work in; the same command again goes on with what is not finished there")
      ->required();
  command->add_flag("--quick", options->quick, "minutes on a CPU: --size quick");
  command->add_option("--size", options->size, "tiny, quick, or full, which wants a GPU")->capture_default_str();
  command->add_option("--graph", options->settings.graphs,
                      "study this graph instead: a folder written by hasa import, or anything it reads; may be repeated");
  command->add_option("--device", options->settings.device, "auto, cpu, cuda or cuda:N")->capture_default_str();
  command
      ->add_option("--set", options->assignments,
                   "an option of the study, such as seeds=5; with all studies STUDY.OPTION=VALUE; may be repeated")
      ->allow_extra_args(false);
  command->footer(all_studies);
  command->callback([options] { run_studies(*options); });
}

}  // namespace hasa
