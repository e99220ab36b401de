// The audit as lines for a terminal.

#include <algorithm>

#include "hasa/audit/graph_audit.h"
#include "hasa/base/progress.h"
#include "hasa/base/shown_text.h"
#include "hasa/page/number.h"

namespace hasa {
namespace {

constexpr std::size_t kWidth = 96;
constexpr std::size_t kExamplesShown = 3;
constexpr std::size_t kExampleLength = 3 * kWidth;
constexpr std::size_t kRelationsListed = 12;

/// Text wrapped at the width, each line indented by the margin.
std::string wrapped(const std::string& words, const std::string& margin) {
  std::string lines, line;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::string word = words.substr(at, end - at);
    if (!line.empty() && margin.size() + line.size() + 1 + word.size() > kWidth) {
      lines += margin + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return line.empty() ? lines : lines + margin + line + "\n";
}

const char* sign(AuditFinding::Effect effect) {
  switch (effect) {
    case AuditFinding::Effect::raises: return "raises scores";
    case AuditFinding::Effect::lowers: return "lowers scores";
    case AuditFinding::Effect::distorts: return "distorts";
    case AuditFinding::Effect::none: return "";
  }
  return "";
}

std::string finding_lines(const AuditFinding& finding) {
  const std::string touches =
      changes_scores(finding) ? fmt::format(" ({:.1f}% of test queries)", 100 * finding.of_queries) : "";
  const std::string effect = sign(finding.effect);
  std::string lines = wrapped((effect.empty() ? "" : effect + touches + ": ") + finding.title, "  ");
  lines += wrapped(finding.detail, "      ") + wrapped("-> " + finding.advice, "      ");
  for (std::size_t i = 0; i < std::min(kExamplesShown, finding.examples.size()); ++i)
    lines += wrapped(shown(finding.examples[i], kExampleLength), "        ").replace(6, 1, ".");
  return lines;
}

std::string relation_lines(const GraphAudit& audit) {
  std::string lines = "\nrelations                                             train     valid      test\n";
  for (std::size_t i = 0; i < std::min(kRelationsListed, audit.relations.size()); ++i) {
    const AuditRelation& r = audit.relations[i];
    lines += fmt::format("  {} {:>4} {:>10} {:>9} {:>9}\n", shown_in_column(r.name, 42), to_string(r.cardinality),
                         format_count(r.triples[0]), format_count(r.triples[1]), format_count(r.triples[2]));
  }
  if (audit.relations.size() > kRelationsListed)
    lines += fmt::format("  and {} more; --json has all\n", format_count(audit.relations.size() - kRelationsListed));
  return lines;
}

}  // namespace

std::string to_table(const GraphAudit& audit) {
  const Audit& facts = audit.facts;
  std::string table =
      fmt::format("{}\n  {} entities, {} relations, {} training, {} valid and {} test triples\n\n", shown(facts.source),
                  format_count(facts.entities), format_count(facts.relations), format_count(facts.triples[0]),
                  format_count(facts.triples[1]), format_count(facts.triples[2]));
  if (audit.findings.empty()) table += "No problems were found.\n";
  const auto matters = [](const AuditFinding& f) { return f.effect != AuditFinding::Effect::none; };
  bool first_of_none = true;
  if (!audit.findings.empty() && matters(audit.findings[0])) table += "Ranked by effect on scores\n";
  for (const AuditFinding& finding : audit.findings) {
    if (!matters(finding) && first_of_none) {
      table += "\nWorth knowing\n";
      first_of_none = false;
    }
    table += finding_lines(finding);
  }
  table += "\nWhat rules score without learning                      MRR    H@1   H@10\n";
  for (const TrivialScore& score : audit.trivial)
    table += fmt::format("  {} {:>6} {:>6} {:>6}\n", shown_in_column(score.name, 49), format_share(score.mrr),
                         format_share(score.hits_at_1), format_share(score.hits_at_10));
  table += "\nTriples whose ends are linked in training by another triple\n";
  for (const Split split : kSplits) {
    const LinkedPairs& linked = audit.linked[static_cast<std::size_t>(split)];
    table += fmt::format("  {:<6}{:>6.1f}%  {} of {}\n", to_string(split), 100 * linked.fraction(),
                         format_count(linked.linked), format_count(linked.triples));
  }
  table += fmt::format("\nTraining has {} connected component{}, the largest with {} entities\n",
                       format_count(audit.shape.components), audit.shape.components == 1 ? "" : "s",
                       format_count(audit.shape.largest));
  return table + relation_lines(audit);
}

}  // namespace hasa
