#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "hasa/dist/comm.h"
#include "hasa/nn/named_tensor.h"
#include "hasa/nn/safetensors.h"

// Tensors that are sharded, each process having its share of the rows, as files have them: whole, so that any number of
// processes can read them. Rank 0 writes and reads the files; the rows of the others pass through it a block at a time,
// so that no process ever holds more than its share and a block. A file for each process would spare rank 0 the
// traffic, but would need a file system that all share, and a commit that all take part in. Every process makes the
// same calls.

namespace hasa {

constexpr std::int64_t kShardBlockBytes = std::int64_t{16} << 20;

/// What a file says of a tensor: its whole shape.
TensorOutline outline_of(const NamedTensor& tensor);

/// Calls visit on rank 0, in the order of the rows, until all have passed: with the whole tensor if it is not sharded.
/// What visit gets is contiguous and on the CPU.
void visit_on_first(const NamedTensor& tensor, Comm& comm, const std::function<void(const torch::Tensor&)>& visit,
                    std::int64_t block_bytes = kShardBlockBytes);

/// Fills each process's rows of a sharded tensor from a file of rank 0, of which the others have none (null).
void fill_from_first(const NamedTensor& tensor, Comm& comm, const SafeTensors* file,
                     std::int64_t block_bytes = kShardBlockBytes);

/// save_tensors of several processes; the path is rank 0's.
void save_tensors_together(const std::filesystem::path& path, const NamedTensors& tensors,
                           const std::map<std::string, std::string>& metadata, Comm& comm);

}  // namespace hasa
