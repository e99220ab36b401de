#include "hasa/ops/table/draw_candidates.h"

#include <ATen/Parallel.h>

#include <limits>

#include "hasa/base/error.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/table/draw_candidates_kernels.h"

namespace hasa {

torch::Tensor draw_candidates(const torch::Tensor& answers_in, std::int64_t n, std::int64_t entities,
                              std::uint64_t seed, const IdRanges& known) {
  const torch::Tensor answers = answers_in.contiguous();
  HASA_CHECK(n >= 0 && entities > 0 && entities <= std::numeric_limits<std::int32_t>::max(), shape,
             "draw_candidates: {} of {} entities", n, entities);
  torch::Tensor out = torch::empty({answers.size(0), 1 + n}, answers.options().dtype(torch::kInt32));
  if (out.numel() == 0) return out;
  const bool filtered = known.ids.defined();
  HASA_CHECK(!filtered || (known.begin.size(0) == answers.size(0) && known.end.size(0) == answers.size(0)), shape,
             "draw_candidates: {} queries, known answers of {}", answers.size(0), known.begin.size(0));
  const kernels::DrawCandidates pass{answers.size(0),
                                     1 + n,
                                     static_cast<std::uint32_t>(entities),
                                     seed,
                                     answers.const_data_ptr<std::int64_t>(),
                                     filtered ? known.ids.const_data_ptr<std::int32_t>() : nullptr,
                                     filtered ? known.begin.const_data_ptr<std::int64_t>() : nullptr,
                                     filtered ? known.end.const_data_ptr<std::int64_t>() : nullptr,
                                     out.data_ptr<std::int32_t>()};
  const auto on_cpu = [&] {
    at::parallel_for(0, pass.queries, 16, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t q = first; q < last; ++q) {
        for (std::int64_t c = 0; c < pass.columns; ++c)
          pass.out[q * pass.columns + c] = kernels::candidate_of(pass, q, c);
      }
    });
  };
  dispatch(out.device(), on_cpu, [&](void* stream) { kernels::draw_candidates_cuda(pass, stream); });
  return out;
}

}  // namespace hasa
