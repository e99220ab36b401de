#include "hasa/kg/triple_lines.h"

#include <algorithm>
#include <optional>

#include "hasa/base/error.h"
#include "hasa/base/thread_pool.h"
#include "hasa/base/utf8.h"

namespace hasa {
namespace {

#ifdef HASA_FUZZING
constexpr std::size_t kPieceBytes = 16;  // so that small inputs have several
#else
constexpr std::size_t kPieceBytes = 4 << 20;
#endif

/// The distinct strings of one piece, numbered as they come; the strings stay where they are in the file.
/// A small table of its own keeps the many mentions of an id away from the large shared one.
class LocalIds {
 public:
  std::int32_t add(std::string_view text) {
    if (2 * (strings.size() + 1) > slots_.size()) grow();
    const std::uint32_t hash = Vocabulary::hash(text);
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at] >= 0; at = (at + 1) & (slots_.size() - 1)) {
      const auto index = static_cast<std::size_t>(slots_[at]);
      if (hashes[index] == hash && strings[index] == text) return slots_[at];
    }
    slots_[at] = static_cast<std::int32_t>(strings.size());
    strings.push_back(text);
    hashes.push_back(hash);
    return slots_[at];
  }

  /// Numbers in the shared vocabulary, of those it has already; -1 for the others.
  void look_up(const Vocabulary& vocabulary) {
    numbers.resize(strings.size());
    for (std::size_t i = 0; i < strings.size(); ++i) numbers[i] = vocabulary.find(strings[i], hashes[i]).value_or(-1);
  }

  void add_missing_to(Vocabulary& vocabulary) {
    for (std::size_t i = 0; i < strings.size(); ++i) {
      if (numbers[i] < 0) numbers[i] = vocabulary.add(strings[i], hashes[i]);
    }
  }

  std::vector<std::string_view> strings;
  std::vector<std::uint32_t> hashes;
  std::vector<std::int32_t> numbers;

 private:
  void grow() {
    slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), -1);
    for (std::size_t i = 0; i < strings.size(); ++i) {
      std::size_t at = hashes[i] & (slots_.size() - 1);
      while (slots_[at] >= 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = static_cast<std::int32_t>(i);
    }
  }

  std::vector<std::int32_t> slots_;
};

/// One piece of the file, read on its own: triples in local numbers.
struct Piece {
  std::optional<RecordReader> reader;  // keeps unquoted fields alive
  LocalIds entities, relations;
  std::vector<Triple> triples;
  LineProblems problems;
  std::uint64_t lines = 0;
  std::size_t place = 0;  // of its first triple among all

  void read(std::string_view text, RecordFormat format, bool header) {
    const bool valid_utf8 = find_invalid_utf8(text) == std::string_view::npos;
    const RecordShape shape = triple_shape(format);
    reader.emplace(text, format);
    Record record;
    if (header) reader->next(record);
    while (reader->next(record)) {
      const bool good = valid_utf8 && record.bad_quoting == nullptr && record.count == 3 && !record.fields[0].empty() &&
                        !record.fields[1].empty() && !record.fields[2].empty();
      if (!good) {
        if (std::string problem = problem_of(record, shape, valid_utf8); !problem.empty()) {
          problems.add("", record.line, problem);
          continue;
        }
      }
      const EntityId head = entities.add(record.fields[0]);
      triples.push_back({head, relations.add(record.fields[1]), entities.add(record.fields[2])});
    }
    lines = reader->line() - 1;
  }

  /// Into the numbers of the shared vocabularies.
  void place_into(std::vector<Triple>& all) const {
    for (std::size_t i = 0; i < triples.size(); ++i) {
      const Triple& t = triples[i];
      all[place + i] = {entities.numbers[t.head], relations.numbers[t.relation], entities.numbers[t.tail]};
    }
  }
};

}  // namespace

std::vector<Triple> read_triple_lines(const NamedText& file, RecordFormat format, bool header, Vocabulary& entities,
                                      Vocabulary& relations, LineProblems& problems) {
  const RecordShape shape = triple_shape(format);
  check_not_empty(file, shape.expected);
  const std::string_view content = without_byte_order_mark(file.content);
  const std::vector<std::string_view> texts = split_between_records(content, format, kPieceBytes);
  std::vector<Triple> triples;
  std::uint64_t line = 1;
  const std::size_t problems_before = problems.count();
  // A few pieces at a time, so that what is kept besides the result stays small.
  const std::size_t at_once = 4 * thread_count();
  for (std::size_t first = 0; first < texts.size(); first += at_once) {
    std::vector<Piece> pieces(std::min(at_once, texts.size() - first));
    parallel_for(pieces.size(), 1, [&](std::size_t i, std::size_t) {
      pieces[i].read(texts[first + i], format, header && first + i == 0);
      pieces[i].entities.look_up(entities);
      pieces[i].relations.look_up(relations);
    });
    std::size_t size = triples.size();
    for (Piece& piece : pieces) {
      piece.entities.add_missing_to(entities);
      piece.relations.add_missing_to(relations);
      problems.append(piece.problems, file.name, line);
      line += piece.lines;
      piece.place = size;
      size += piece.triples.size();
    }
    // Room for the rest of the file at the rate so far; memory not written to costs nothing.
    if (first == 0 && pieces.size() < texts.size()) triples.reserve(size / pieces.size() * texts.size() / 10 * 11);
    triples.resize(size);
    parallel_for(pieces.size(), 1, [&](std::size_t i, std::size_t) { pieces[i].place_into(triples); });
  }
  HASA_CHECK(!triples.empty() || problems.count() > problems_before, data, "{} has no lines of {}", file.name,
             shape.expected);
  return triples;
}

}  // namespace hasa
