#pragma once

#include <span>
#include <string>

namespace hasa {

/// Something the paper says that its own runs, or ours, can bear out or not.
struct PaperClaim {
  int number = 0;
  std::string place;      // "Section 4.1, Figure 1"
  std::string statement;  // in a sentence, with the paper's figures
};

/// All of them, by rising number, from 1 and without gaps. Numbers never change: results name claims by them.
std::span<const PaperClaim> paper_claims();

/// Throws data where there is no such number.
const PaperClaim& paper_claim(int number);

}  // namespace hasa
