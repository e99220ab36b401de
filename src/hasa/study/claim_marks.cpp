#include "hasa/study/claim_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace hasa {
namespace {

std::string mark_words(const MarkedClaim& claim) {
  return to_string(claim.mark) + std::string(claim.stands_in ? ", on a stand-in" : "");
}

std::string evidence_words(const ClaimEvidence& evidence) {
  return evidence.verdict.sentence +
         (evidence.is_of_the_papers_graphs()
              ? fmt::format(" ({})", evidence.study)
              : fmt::format(" ({}, {} form on {})", evidence.study, evidence.size, fmt::join(evidence.graphs, ", ")));
}

std::string evidence_words(const MarkedClaim& claim) {
  std::string words;
  for (const ClaimEvidence& each : claim.evidence) words += (words.empty() ? "" : " ") + evidence_words(each);
  return words.empty() ? "–" : words;
}

}  // namespace

const char* to_string(ClaimMark mark) {
  switch (mark) {
    case ClaimMark::confirmed: return "confirmed";
    case ClaimMark::mixed: return "mixed";
    case ClaimMark::not_confirmed: return "not confirmed";
    case ClaimMark::not_yet_run: return "not yet run";
  }
  return "?";
}

ClaimMark mark_of(Agreement agreement) {
  switch (agreement) {
    case Agreement::agrees: return ClaimMark::confirmed;
    case Agreement::mixed: return ClaimMark::mixed;
    case Agreement::disagrees: return ClaimMark::not_confirmed;
  }
  return ClaimMark::not_yet_run;
}

bool ClaimEvidence::is_of_the_papers_graphs() const {
  const auto is_paper_graph = [](const std::string& graph) { return graph == "WN18RR" || graph == "FB15k-237"; };
  return size == "full" && !graphs.empty() && std::ranges::all_of(graphs, is_paper_graph);
}

std::vector<MarkedClaim> mark_claims(std::span<const ClaimEvidence> evidence) {
  std::vector<MarkedClaim> marked;
  for (const PaperClaim& claim : paper_claims()) {
    MarkedClaim one{claim, ClaimMark::not_yet_run, false, {}};
    for (const bool papers : {true, false}) {
      for (const ClaimEvidence& each : evidence) {
        if (each.verdict.claim == claim.number && each.is_of_the_papers_graphs() == papers)
          one.evidence.push_back(each);
      }
      if (one.evidence.empty()) continue;
      std::vector<Agreement> findings;
      for (const ClaimEvidence& each : one.evidence) findings.push_back(each.verdict.agreement);
      one.mark = mark_of(overall(findings));
      one.stands_in = !papers;
      break;
    }
    marked.push_back(std::move(one));
  }
  return marked;
}

std::string count_words(std::span<const MarkedClaim> claims) {
  std::vector<std::string> parts;
  for (const ClaimMark mark :
       {ClaimMark::confirmed, ClaimMark::mixed, ClaimMark::not_confirmed, ClaimMark::not_yet_run}) {
    const auto count = std::ranges::count(claims, mark, &MarkedClaim::mark);
    if (count > 0) parts.push_back(fmt::format("{} {}", count, to_string(mark)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::pair<std::string, std::string>> claim_entries(std::span<const MarkedClaim> claims) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const MarkedClaim& each : claims) {
    std::string mark = mark_words(each);
    mark[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(mark[0])));
    std::string text = each.claim.statement + "\n" + mark;
    text += each.evidence.empty() ? "." : ":";
    // Several findings have a line each.
    for (const ClaimEvidence& one : each.evidence)
      text += (each.evidence.size() == 1 ? " " : "\n– ") + evidence_words(one);
    entries.emplace_back(fmt::format("{}. {}", each.claim.number, each.claim.place), text);
  }
  return entries;
}

PageTable claims_table(std::span<const MarkedClaim> claims) {
  PageTable table{"What the paper claims",
                  {{"no.", true},
                   {"place", false},
                   {"claim", false},
                   {"mark", false, "made from the studies' data; on a stand-in: not on the paper's graphs in full"},
                   {"what says so", false}},
                  {}};
  for (const MarkedClaim& each : claims)
    table.rows.push_back({{{std::to_string(each.claim.number), static_cast<double>(each.claim.number)},
                           {each.claim.place},
                           {each.claim.statement},
                           {mark_words(each)},
                           {evidence_words(each)}},
                          each.mark == ClaimMark::not_yet_run});
  return table;
}

}  // namespace hasa
