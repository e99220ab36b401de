#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hasa/page/table.h"
#include "hasa/study/study_result.h"

namespace hasa {

/// What all studies together say of a claim of the paper.
enum class ClaimMark : std::uint8_t { confirmed, mixed, not_confirmed, not_yet_run };

/// "confirmed", "mixed", "not confirmed", "not yet run"
const char* to_string(ClaimMark mark);

ClaimMark mark_of(Agreement agreement);

/// A verdict with the study it is from.
struct ClaimEvidence {
  std::string study, size;          // "losses", "quick"
  std::vector<std::string> graphs;  // "animal"
  Verdict verdict;

  /// On WN18RR and FB15k-237 alone, in the full form; anything else stands in for them.
  bool is_of_the_papers_graphs() const;
};

struct MarkedClaim {
  PaperClaim claim;
  ClaimMark mark = ClaimMark::not_yet_run;
  bool stands_in = false;               // nothing of the paper's own graphs is among the evidence
  std::vector<ClaimEvidence> evidence;  // what the mark was made from
};

/// All claims of the paper, by number. What was found on the paper's graphs counts alone where there is any of it;
/// confirmed where all of it agrees with the claim, not confirmed where none does, else mixed.
std::vector<MarkedClaim> mark_claims(std::span<const ClaimEvidence> evidence);

/// "3 confirmed, 1 mixed, 2 not confirmed, 15 not yet run"
std::string count_words(std::span<const MarkedClaim> claims);

/// "3. Section 7.2, Table 2" and, in lines, the claim, its mark, and the figures that say so. Reads well on a phone.
std::vector<std::pair<std::string, std::string>> claim_entries(std::span<const MarkedClaim> claims);
/// The same in columns.
PageTable claims_table(std::span<const MarkedClaim> claims);

}  // namespace hasa
