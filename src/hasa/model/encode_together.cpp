#include "hasa/model/encode_together.h"

namespace hasa {
namespace {

std::span<const std::int32_t> part_of(std::span<const std::int32_t> values, std::int64_t first, std::int64_t last) {
  return values.empty() ? values
                        : values.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
}

}  // namespace

torch::Tensor encode_together(const FrozenEncoder& encoder, const TokenRows& rows, const EncodeAllOptions& options,
                              Comm& comm) {
  if (comm.alone()) return encode_all(encoder, rows, options);
  const RowShare share = comm.share_of(rows.size());
  torch::Tensor own =
      torch::empty({0, encoder.encoder().config().hidden}, torch::TensorOptions(encoder.encoder().device()));
  if (share.count > 0) {
    const auto first = static_cast<std::size_t>(share.first), count = static_cast<std::size_t>(share.count);
    const std::int64_t begin = rows.offsets[first], end = rows.offsets[first + count];
    std::vector<std::int64_t> offsets;
    for (const std::int64_t offset : rows.offsets.subspan(first, count + 1)) offsets.push_back(offset - begin);
    const TokenRows part{.ids = part_of(rows.ids, begin, end),
                         .offsets = offsets,
                         .segments = part_of(rows.segments, begin, end),
                         .soft = rows.soft};
    own = encode_all(encoder, part, options);
  }
  return comm.gather_shares(own, rows.size());
}

}  // namespace hasa
