#include <algorithm>

#include "hasa/ops/core/philox.h"
#include "hasa/ops/table/draw_candidates.h"

namespace hasa {

torch::Tensor draw_candidates_reference(const torch::Tensor& answers, std::int64_t n, std::int64_t entities,
                                        std::uint64_t seed, const IdRanges& known) {
  constexpr std::uint64_t kSecondRound = std::uint64_t{1} << 63;  // a call of the generator is worth four draws
  torch::Tensor out = torch::empty({answers.size(0), 1 + n}, torch::kInt32);
  for (std::int64_t query = 0; query < answers.size(0); ++query) {
    out[query][0] = answers[query].item<std::int64_t>();
    for (std::int64_t column = 1; column <= n; ++column) {
      const auto cell = static_cast<std::uint64_t>(query * (1 + n) + column);
      std::int64_t entity = 0;
      for (int draw = 0; draw < 8; ++draw) {
        const EightDraws draws = philox(draw < 4 ? cell : cell + kSecondRound, seed);
        const std::uint64_t product =
            static_cast<std::uint64_t>(draws.words[draw % 4]) * static_cast<std::uint64_t>(entities);
        entity = static_cast<std::int64_t>(product / (std::uint64_t{1} << 32));
        if (!known.ids.defined()) break;
        const auto* ids = known.ids.const_data_ptr<std::int32_t>();
        const auto *begin = ids + known.begin[query].item<std::int64_t>(),
                   *end = ids + known.end[query].item<std::int64_t>();
        if (std::find(begin, end, entity) == end) break;
      }
      out[query][column] = entity;
    }
  }
  return out;
}

}  // namespace hasa
