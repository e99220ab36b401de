#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "hasa/serve/judged_triples.h"
#include "hasa/serve/live_state.h"
#include "hasa/serve/question.h"

namespace hasa {

/// How predictions are written, by the ending of the file's name:
///
///   .tsv    a line of names, then head, relation, tail, probability, score; ids, tabs and line ends in them as \t, \n
///   .jsonl  an object a line, with names too
///   .nt     N-Triples: each prediction a rdf:Statement with its confidence, so that nothing is asserted that a model
///           merely believes. urn:hasa:confidence is the probability, the score where there is none.
enum class LinkFormat { tsv, jsonl, ntriples };

/// Throws config for another ending.
LinkFormat link_format_of(const std::filesystem::path& file);

std::string to_text(std::span<const LikelyLink> links, const LiveState& state, LinkFormat format);
/// TSV: head, relation, tail, score, probability, rank_of_tail, rank_of_head, known; JSON Lines likewise. Not N-Triples.
std::string to_text(std::span<const JudgedTriple> triples, const LiveState& state, LinkFormat format);
/// The first line of a TSV file of them.
std::string judged_columns();

}  // namespace hasa
