#include "hasa/train/sharded_tensors.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

std::vector<std::int64_t> count_for(int rank, std::int64_t count, const Comm& comm) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(comm.size()));
  counts[static_cast<std::size_t>(rank)] = count;
  return counts;
}

/// Calls body(rank, rows of the whole) for blocks of all ranks' rows, in order.
template <class Body>
void each_block(const NamedTensor& tensor, const Comm& comm, std::int64_t block_bytes, const Body& body) {
  const std::int64_t of_a_row =
      c10::multiply_integers(tensor.tensor.sizes().slice(1)) * static_cast<std::int64_t>(tensor.tensor.element_size());
  const std::int64_t most = std::max<std::int64_t>(1, block_bytes / std::max<std::int64_t>(1, of_a_row));
  for (int rank = 0; rank < comm.size(); ++rank) {
    const RowShare share = Comm::share_of(tensor.whole_rows, rank, comm.size());
    for (std::int64_t done = 0; done < share.count; done += most)
      body(rank, RowShare{share.first + done, std::min(most, share.count - done)});
  }
}

/// Rows from one process to another, which gets them; the others, and the same process, get what they have.
torch::Tensor hand_over(const torch::Tensor& rows, int from, int to, std::int64_t count, Comm& comm) {
  if (from == to) return rows;
  const torch::Tensor given = comm.rank() == from ? rows : rows.narrow(0, 0, 0);
  return comm.all_to_all(given, count_for(to, given.size(0), comm),
                         count_for(from, comm.rank() == to ? count : 0, comm));
}

}  // namespace

TensorOutline outline_of(const NamedTensor& tensor) {
  TensorOutline outline{tensor.name, element_type_of(tensor.tensor), tensor.tensor.sizes().vec()};
  if (tensor.sharded()) outline.shape[0] = tensor.whole_rows;
  return outline;
}

void visit_on_first(const NamedTensor& tensor, Comm& comm, const std::function<void(const torch::Tensor&)>& visit,
                    std::int64_t block_bytes) {
  const torch::Tensor own = tensor.tensor.detach();
  if (!tensor.sharded()) {
    if (comm.first()) visit(own.cpu().contiguous());
    return;
  }
  const std::int64_t first = comm.share_of(tensor.whole_rows).first;
  each_block(tensor, comm, block_bytes, [&](int rank, RowShare rows) {
    const torch::Tensor here = comm.rank() == rank ? own.narrow(0, rows.first - first, rows.count) : own;
    const torch::Tensor block = hand_over(here, rank, 0, rows.count, comm);
    if (comm.first()) visit(block.cpu().contiguous());
  });
}

void fill_from_first(const NamedTensor& tensor, Comm& comm, const SafeTensors* file, std::int64_t block_bytes) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor own = tensor.tensor.detach();
  const std::int64_t first = comm.share_of(tensor.whole_rows).first;
  each_block(tensor, comm, block_bytes, [&](int rank, RowShare rows) {
    torch::Tensor block = own.narrow(0, 0, 0);
    if (comm.first()) {
      std::vector<std::int64_t> shape = own.sizes().vec();
      shape[0] = rows.count;
      block = torch::empty(shape, own.options().device(torch::kCPU));
      copy_rows_into({tensor.name, block}, *file, rows.first, tensor.whole_rows);
    }
    block = hand_over(block, 0, rank, rows.count, comm);
    if (comm.rank() == rank) own.narrow(0, rows.first - first, rows.count).copy_(block);
  });
}

void save_tensors_together(const std::filesystem::path& path, const NamedTensors& tensors,
                           const std::map<std::string, std::string>& metadata, Comm& comm) {
  std::vector<TensorOutline> outlines;
  for (const NamedTensor& each : tensors) outlines.push_back(outline_of(each));
  std::optional<SafeTensorsWriter> file;
  if (comm.first()) file.emplace(path, outlines, metadata);
  for (std::size_t i = 0; i < tensors.size(); ++i)
    visit_on_first(tensors[i], comm, [&](const torch::Tensor& rows) { file->write(i, bytes_of(rows)); });
  if (file) file->commit();
}

}  // namespace hasa
