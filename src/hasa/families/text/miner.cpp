#include "hasa/families/text/miner.h"

#include <algorithm>
#include <utility>

#include "hasa/base/rng.h"
#include "hasa/model/encode_together.h"
#include "hasa/model/query_columns.h"
#include "hasa/ops/score/top_entities.h"

namespace hasa {
namespace {

constexpr std::int64_t kWorkspaceBytes = std::int64_t{512} << 20;
constexpr std::size_t kQueriesAtOnce = 8192;

}  // namespace

Miner::Miner(const TextModel& model, const TextInputs& inputs, const KnownAnswers& known, const NegativesConfig& config,
             const MinerSetting& setting, Comm& comm)
    : model_(model),
      inputs_(inputs),
      known_(known),
      config_(config),
      setting_(setting),
      comm_(comm),
      first_step_(torch::full({1}, -1, torch::kInt64)),
      found_(torch::full({steps_covered() * setting.batch, config.hard}, -1, torch::kInt64)) {
  if (config.refresh == BankRefresh::overwrite) bank_ = entity_vectors(model, inputs, 1, false, comm);
  state_changed();
}

std::int64_t Miner::steps_covered() const {
  return config_.refresh == BankRefresh::whole ? std::min(config_.refresh_steps, setting_.steps) : 1;
}

std::int64_t Miner::limit() const {
  const std::int64_t first = first_step_.item<std::int64_t>();
  return first < 0 ? 0 : first + steps_covered();
}

bool Miner::needs(std::int64_t step) const { return step >= limit() || step < first_step_.item<std::int64_t>(); }

torch::Tensor Miner::read(const std::vector<TextRequest>& requests, std::int64_t step) const {
  const PackedInputs inputs =
      inputs_.for_training(requests, Rng(setting_.seed, "mining", static_cast<std::uint64_t>(step)).next());
  EncodeAllOptions options;
  options.pooling = model_.pooling();
  options.soft_rows = model_.soft_rows();
  return encode_together(FrozenEncoder(model_.working()), rows_of(inputs), options, comm_);
}

torch::Tensor Miner::queries(std::span<const StepTriple> asked, std::int64_t step) const {
  std::vector<TextRequest> requests;
  std::vector<Triple> triples;
  const bool joint = model_.config().query == QueryForm::joint;
  for (const StepTriple& each : asked) {
    requests.push_back({each.triple.head, joint ? each.triple.relation : -1, each.number});
    triples.push_back(each.triple);
  }
  if (joint) return model_.joint_queries(read(requests, step));
  const QueryColumns columns = columns_of(triples, model_.device());
  // Where texts tell edges the bank's would tell the one that is asked for.
  const torch::Tensor heads = setting_.context ? model_.entities(read(requests, step), /*training=*/false)
                                               : bank_.index_select(0, columns.heads);
  return model_.gru_queries(heads, relations_, columns.relations);
}

void Miner::mine(std::int64_t step, const std::function<std::vector<StepTriple>(std::int64_t)>& batch_of) {
  const torch::NoGradGuard no_grad;
  if (config_.refresh == BankRefresh::whole) bank_ = entity_vectors(model_, inputs_, 1, false, comm_);
  if (model_.config().query == QueryForm::gru) relations_ = relation_vectors(model_, inputs_);
  const torch::Dtype type = model_.working().dtype();
  const torch::Tensor bank = bank_.to(type);
  std::vector<StepTriple> asked;
  std::vector<std::int64_t> rows;  // of found_
  for (std::int64_t i = 0; i < steps_covered() && step + i < setting_.steps; ++i) {
    const std::vector<StepTriple> batch = batch_of(step + i);
    for (std::size_t j = 0; j < batch.size(); ++j) rows.push_back(i * setting_.batch + static_cast<std::int64_t>(j));
    asked.insert(asked.end(), batch.begin(), batch.end());
  }
  for (std::size_t first = 0; first < asked.size(); first += kQueriesAtOnce) {
    const auto part = std::span(asked).subspan(first, std::min(kQueriesAtOnce, asked.size() - first));
    const RowShare share = comm_.share_of(std::ssize(part));
    std::vector<Triple> triples;
    for (const StepTriple& each :
         part.subspan(static_cast<std::size_t>(share.first), static_cast<std::size_t>(share.count)))
      triples.push_back(each.triple);
    const RaggedIds known = known_rows(known_, triples).to(model_.device());
    const torch::Tensor asked_here = queries(part, step).narrow(0, share.first, share.count).to(type);
    const torch::Tensor found_here = share.count == 0
                                         ? torch::empty({0, config_.hard}, torch::kInt64)
                                         : top_entities(asked_here, bank, known, config_.hard, kWorkspaceBytes).cpu();
    const torch::Tensor found = comm_.gather_shares(found_here, std::ssize(part));
    const std::vector<std::int64_t> to(rows.begin() + static_cast<std::ptrdiff_t>(first),
                                       rows.begin() + static_cast<std::ptrdiff_t>(first + part.size()));
    found_.index_copy_(0, torch::tensor(to, torch::kInt64), found);
  }
  first_step_.fill_(step);
  if (config_.refresh == BankRefresh::whole) bank_ = torch::Tensor();
  state_changed();
}

void Miner::overwrite(const torch::Tensor& entities, const torch::Tensor& vectors) {
  if (config_.refresh == BankRefresh::overwrite) bank_.index_copy_(0, entities, vectors);
}

NamedTensors Miner::state() const {
  NamedTensors list = {{"mined_from_step", first_step_, Rows::of_steps}, {"mined", found_, Rows::of_steps}};
  if (config_.refresh == BankRefresh::overwrite) list.push_back({"bank", bank_, Rows::appended});
  return list;
}

void Miner::state_changed() {
  std::vector<EntityId> ids(static_cast<std::size_t>(found_.numel()));
  const auto* from = found_.const_data_ptr<std::int64_t>();
  std::transform(from, from + found_.numel(), ids.begin(), [](std::int64_t id) { return static_cast<EntityId>(id); });
  window_.publish(first_step_.item<std::int64_t>(), static_cast<std::size_t>(setting_.batch * config_.hard),
                  std::move(ids));
}

}  // namespace hasa
