#include "hasa/serve/change_desk.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "hasa/base/shown_text.h"
#include "hasa/serve/front/problem.h"
#include "hasa/serve/name_resolver.h"
#include "hasa/serve/response_json.h"

namespace hasa {
namespace {

std::size_t num_changed(const std::vector<Applied>& applied) {
  std::size_t count = 0;
  for (const Applied& each : applied) count += each.changed ? 1 : 0;
  return count;
}

}  // namespace

ChangeDesk::ChangeDesk(const ServedRun& run, ServeMetrics& metrics, std::size_t waiting)
    : run_(run), metrics_(metrics) {
  for (auto& writer : writers_) {
    // One job at a time, so that those behind it go to a writer that is free.
    writer = std::make_unique<Batcher<Job>>(BatcherLimits{.batch = 1, .waiting = waiting / kWriters},
                                            [this](std::vector<Job> jobs) { work(std::move(jobs)); });
  }
}

std::size_t ChangeDesk::waiting() const {
  std::size_t sum = 0;
  for (const auto& writer : writers_) sum += writer->waiting();
  return sum;
}

void ChangeDesk::take(std::function<HttpResponse()> make, std::size_t changes, HttpResponder responder) {
  Job job{std::move(make), std::move(responder)};
  for (std::size_t i = 0; i < kWriters; ++i) {
    if (writers_[next_++ % kWriters]->offer(job, changes)) return;
  }
  job.responder.send(to_response(ProblemKind::too_busy, "too many changes wait already; come back a little later"));
}

void ChangeDesk::work(std::vector<Job> jobs) const {
  for (Job& job : jobs) {
    try {
      job.responder.send(job.make());
    } catch (...) {
      job.responder.send(response_to_exception(*run_.state()));
    }
  }
}

std::vector<Applied> ChangeDesk::apply(std::span<const Change> changes) {
  std::vector<Applied> applied = run_.live().apply(changes);
  metrics_.count_changes(num_changed(applied));
  return applied;
}

void ChangeDesk::put_entity(std::string id, EntityText text, HttpResponder responder) {
  auto make = [this, id = std::move(id), text = std::move(text)] {
    const std::vector<Change> changes = {PutEntity{id, text.name, text.description}};
    const bool created = apply(changes).front().created;
    return json_response({{"id", id}, {"name", text.name}, {"description", text.description}, {"created", created}},
                         created ? 201 : 200);
  };
  take(std::move(make), 1, std::move(responder));
}

void ChangeDesk::delete_entity(std::string id, HttpResponder responder) {
  auto make = [this, id = std::move(id)] {
    const std::vector<Change> changes = {DeleteEntity{id}};
    if (!apply(changes).front().changed) refuse(ProblemKind::not_found, "no entity has the id \"{}\"", shown(id));
    return json_response({{"id", id}, {"deleted", true}});
  };
  take(std::move(make), 1, std::move(responder));
}

void ChangeDesk::add_triples(TriplesRequest request, HttpResponder responder) {
  const std::size_t count = request.triples.size();
  auto make = [this, request = std::move(request)] {
    const auto state = run_.state();
    const NameResolver names(run_, *state);
    std::vector<Change> changes;
    for (const AskedTriple& each : request.triples) changes.emplace_back(names.triple_to_add(each));
    const std::size_t added = num_changed(apply(changes));
    return json_response({{"added", added}, {"known", changes.size() - added}});
  };
  take(std::move(make), count, std::move(responder));
}

void ChangeDesk::remove_triples(TriplesRequest request, HttpResponder responder) {
  const std::size_t count = request.triples.size();
  auto make = [this, request = std::move(request)] {
    const auto state = run_.state();
    const NameResolver names(run_, *state);
    std::vector<Change> changes;
    for (const AskedTriple& each : request.triples) changes.emplace_back(names.triple_to_remove(each));
    const std::size_t removed = num_changed(apply(changes));
    return json_response({{"removed", removed}, {"absent", changes.size() - removed}});
  };
  take(std::move(make), count, std::move(responder));
}

}  // namespace hasa
