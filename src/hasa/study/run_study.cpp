#include "hasa/study/run_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/log.h"
#include "hasa/page/png.h"
#include "hasa/page/svg.h"
#include "hasa/study/studies.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

/// Once a process: the next figure would say the same.
void say_that_there_are_no_pngs() {
  static const bool said = [] {
    log_warning("figures are written as SVG alone: making a PNG of one needs librsvg\napt-get install librsvg2-2");
    return true;
  }();
  (void)said;
}

void write_figure(const StudyFigure& figure, const fs::path& folder) {
  const std::string svg = to_svg_file(figure.chart), name = text_of(figure.chart).id;
  write_file(folder / (name + ".svg"), svg);
  if (const auto png = png_of_svg(svg)) {
    write_file(folder / (name + ".png"), *png);
  } else {
    say_that_there_are_no_pngs();
  }
}

std::string size_word(StudySize size) {
  for (const auto& [each, name] : names_of(StudySize{})) {
    if (each == size) return name;
  }
  return "";
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  return right ? fmt::format("{:>{}}", text, width) : fmt::format("{:<{}}", text, width);
}

std::string table_text(const PageTable& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    widths.push_back(table.columns[c].name.size());
    for (const TableRow& row : table.rows) widths[c] = std::max(widths[c], row.cells.at(c).text.size());
  }
  std::string text = "\n" + table.caption + "\n";
  const auto add_line = [&](const auto& cell) {
    std::string line = " ";
    for (std::size_t c = 0; c < widths.size(); ++c)
      line += " " + padded(cell(c), widths[c], table.columns[c].numeric);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add_line([&](std::size_t c) { return table.columns[c].name; });
  for (const TableRow& row : table.rows) add_line([&](std::size_t c) { return row.cells[c].text; });
  return text;
}

}  // namespace

StudyResult run_study(const Study& study, const StudySettings& settings, const std::vector<std::string>& assignments) {
  const std::unique_ptr<StudyJob> job = study.job(settings.size);
  for (const std::string& each : assignments) apply_assignment(job->options(), each);
  StudyContext context(settings, study.name);
  const fs::path folder = context.folder();
  write_file(folder / "config.yaml", to_yaml(job->options()));
  StudyResult result = job->run(context);
  result.size = size_word(settings.size);
  if (result.graphs.empty()) {
    for (const StudyGraph& graph : context.graphs()) result.graphs.push_back(graph.name);
  }
  for (const StudyFile& file : result.files) write_file(folder / file.name, file.content);
  for (const StudyFigure& figure : result.figures) write_figure(figure, folder);
  write_file(folder / kStudyResultFile, to_json(result).dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  return result;
}

std::vector<std::string> assignments_of(const std::vector<std::string>& assignments, const std::string& study) {
  std::vector<std::string> mine;
  for (const std::string& each : assignments) {
    const std::string name = each.substr(0, each.find_first_of(".="));
    HASA_CHECK(name.size() < each.size() && each[name.size()] == '.', config,
               "\"{}\" names no study; with all studies an option is STUDY.OPTION=VALUE", each);
    study_named(name);
    if (name == study) mine.push_back(each.substr(name.size() + 1));
  }
  return mine;
}

std::string to_text(const StudyResult& result) {
  std::string text = result.title + "\n" + result.summary + "\n";
  for (const PageTable& table : result.tables) text += table_text(table);
  for (const Verdict& each : result.verdicts) {
    const PaperClaim& claim = paper_claim(each.claim);
    text += fmt::format("\n{} with claim {} ({}): {}\n  {}\n", to_string(each.agreement), claim.number, claim.place,
                        claim.statement, each.sentence);
  }
  return text + "\n";
}

}  // namespace hasa
