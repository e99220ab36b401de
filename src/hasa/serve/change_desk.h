#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "hasa/http/responder.h"
#include "hasa/serve/front/batcher.h"
#include "hasa/serve/front/metrics.h"
#include "hasa/serve/front/requests.h"
#include "hasa/serve/served_run.h"

namespace hasa {

/// Makes changes of the graph, and answers when they are on the disk. Several threads hand them over, so that changes
/// that arrive together share one fsync (LiveGraph::apply).
class ChangeDesk {
 public:
  /// Both must outlive it. At most `waiting` changes wait.
  ChangeDesk(const ServedRun& run, ServeMetrics& metrics, std::size_t waiting);

  void put_entity(std::string id, EntityText text, HttpResponder responder);
  void delete_entity(std::string id, HttpResponder responder);
  void add_triples(TriplesRequest request, HttpResponder responder);
  void remove_triples(TriplesRequest request, HttpResponder responder);
  std::size_t waiting() const;

 private:
  /// Makes the changes and says how they went.
  struct Job {
    std::function<HttpResponse()> make;
    HttpResponder responder;
  };

  void take(std::function<HttpResponse()> make, std::size_t changes, HttpResponder responder);
  void work(std::vector<Job> jobs) const;
  std::vector<Applied> apply(std::span<const Change> changes);

  static constexpr std::size_t kWriters = 4;

  const ServedRun& run_;
  ServeMetrics& metrics_;
  std::size_t next_ = 0;  // whose turn it is; jobs are taken by one thread
  std::array<std::unique_ptr<Batcher<Job>>, kWriters> writers_;
};

}  // namespace hasa
