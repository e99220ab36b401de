#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "hasa/model/text_reader.h"
#include "hasa/serve/change.h"
#include "hasa/serve/journal.h"
#include "hasa/serve/live_state.h"

namespace hasa {

/// A graph that takes changes. Whatever apply() has returned for is in the journal, on the disk; what readers see next
/// is the whole of it. From any thread.
class LiveGraph {
 public:
  /// What makes vectors of the texts of changes, asked for when the first is needed; null for a run that reads no
  /// texts, and so takes no entities.
  using Reader = std::function<const TextReader*()>;

  /// Makes the changes of the journal again; the texts among them are read anew. Graph, links and reader must outlive
  /// it.
  LiveGraph(const Graph& graph, const KnownLinks& known, const std::filesystem::path& journal, Journal::Access access,
            Reader reader);
  ~LiveGraph();
  LiveGraph(const LiveGraph&) = delete;
  LiveGraph& operator=(const LiveGraph&) = delete;

  std::shared_ptr<const LiveState> state() const;

  /// All of the changes, in their order, or none. Returns when they are on the disk and state() has them. Changes that
  /// come while others are written are written together, with one fsync, and their texts are read together.
  ///
  /// Throws Refusal not_found for an entity or a relation that is not there, unreadable for a text where no text is
  /// read, conflict where the journal was opened to be read; config for an id or a text of a form that none may have;
  /// io where the disk refuses, and then nothing was changed.
  std::vector<Applied> apply(std::span<const Change> changes);

  bool takes_changes() const;
  std::uint64_t journal_bytes() const;

 private:
  class Writer;
  std::unique_ptr<Writer> writer_;
};

}  // namespace hasa
