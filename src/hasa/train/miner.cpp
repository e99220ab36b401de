#include "hasa/train/miner.h"

#include <algorithm>

#include "hasa/base/rng.h"
#include "hasa/model/query_columns.h"
#include "hasa/nn/encode_all.h"
#include "hasa/ops/top_entities.h"

namespace hasa {
namespace {

constexpr std::int64_t kWorkspaceBytes = std::int64_t{512} << 20;

}  // namespace

Miner::Miner(const TextModel& model, const TextInputs& inputs, const KnownAnswers& known, const NegativesConfig& config,
             std::int64_t batch, std::uint64_t seed)
    : model_(model),
      inputs_(inputs),
      known_(known),
      config_(config),
      batch_(batch),
      seed_(seed),
      first_step_(torch::full({1}, -1, torch::kInt64)),
      found_(torch::full({steps_covered() * batch, config.hard}, -1, torch::kInt64)) {
  if (config.refresh == BankRefresh::overwrite) {
    bank_ = entity_vectors(model, inputs);
    if (model.config().query == QueryForm::gru) relations_ = relation_vectors(model, inputs);
  }
  state_changed();
}

std::int64_t Miner::limit() const {
  const std::int64_t first = first_step_.item<std::int64_t>();
  return first < 0 ? 0 : first + steps_covered();
}

bool Miner::needs(std::int64_t step) const { return step >= limit() || step < first_step_.item<std::int64_t>(); }

torch::Tensor Miner::queries(std::span<const AskedTriple> asked, std::int64_t step) const {
  std::vector<Triple> triples;
  for (const AskedTriple& each : asked) triples.push_back(each.triple);
  if (model_.config().query == QueryForm::gru) {
    const QueryColumns columns = columns_of(triples, model_.device());
    return model_.gru_queries(bank_.index_select(0, columns.heads), relations_, columns.relations);
  }
  // A query that told its own edge would find the wrong neighbourhood.
  std::vector<TextRequest> requests;
  for (const AskedTriple& each : asked) requests.push_back({each.triple.head, each.triple.relation, each.number});
  const std::uint64_t seed = Rng(seed_, "mining", static_cast<std::uint64_t>(step)).next();
  const PackedInputs inputs = inputs_.for_training(requests, seed);
  EncodeAllOptions options;
  options.pooling = model_.pooling();
  return model_.joint_queries(
      encode_all(model_.working(), TokenRows{inputs.ids, inputs.offsets, inputs.segments}, options));
}

void Miner::mine(std::int64_t step, const std::function<std::vector<AskedTriple>(std::int64_t)>& batch_of) {
  const torch::NoGradGuard no_grad;
  if (config_.refresh == BankRefresh::whole) {
    bank_ = entity_vectors(model_, inputs_);
    if (model_.config().query == QueryForm::gru) relations_ = relation_vectors(model_, inputs_);
  }
  std::vector<AskedTriple> asked;
  std::vector<std::int64_t> rows;  // of found_
  for (std::int64_t i = 0; i < steps_covered(); ++i) {
    const std::vector<AskedTriple> batch = batch_of(step + i);
    for (std::size_t j = 0; j < batch.size(); ++j) rows.push_back(i * batch_ + static_cast<std::int64_t>(j));
    asked.insert(asked.end(), batch.begin(), batch.end());
  }
  std::vector<Triple> triples;
  for (const AskedTriple& each : asked) triples.push_back(each.triple);
  const RaggedIds known = known_rows(known_, triples).to(model_.device());
  const torch::Tensor found = top_entities(queries(asked, step), bank_, known, config_.hard, kWorkspaceBytes).cpu();
  found_.index_copy_(0, torch::tensor(rows, torch::kInt64), found);
  first_step_.fill_(step);
  if (config_.refresh == BankRefresh::whole) bank_ = relations_ = torch::Tensor();
  state_changed();
}

std::span<const EntityId> Miner::mined(std::int64_t step, std::size_t triples) const {
  const std::int64_t place = (step - first_step_.const_data_ptr<std::int64_t>()[0]) * batch_ * config_.hard;
  return std::span(ids_).subspan(static_cast<std::size_t>(place), triples * static_cast<std::size_t>(config_.hard));
}

void Miner::overwrite(const torch::Tensor& entities, const torch::Tensor& vectors) {
  if (config_.refresh == BankRefresh::overwrite) bank_.index_copy_(0, entities, vectors);
}

NamedTensors Miner::state() const {
  NamedTensors list = {{"mined_from_step", first_step_}, {"mined", found_}};
  if (config_.refresh == BankRefresh::overwrite) {
    list.push_back({"bank", bank_});
    if (relations_.defined()) list.push_back({"bank_relations", relations_});
  }
  return list;
}

void Miner::state_changed() {
  ids_.resize(static_cast<std::size_t>(found_.numel()));
  const auto* from = found_.const_data_ptr<std::int64_t>();
  std::transform(from, from + found_.numel(), ids_.begin(), [](std::int64_t id) { return static_cast<EntityId>(id); });
}

}  // namespace hasa
