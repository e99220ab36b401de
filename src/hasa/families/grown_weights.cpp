#include "hasa/families/grown_weights.h"

#include <algorithm>

#include "hasa/base/error.h"
#include "hasa/base/log.h"

namespace hasa {

void load_grown(const NamedTensors& parameters, const TensorFile& file, const Run& run) {
  copy_into_grown(parameters, file);
  const bool grown = std::any_of(parameters.begin(), parameters.end(), [&](const NamedTensor& each) {
    return each.rows != Rows::of_steps && file.at(each.name).sizes() != each.tensor.sizes();
  });
  if (!grown) return;
  log_warning(
      "the graph has entities or relations whose vectors {} has not trained; they are random as yet\nhasa train "
      "--resume {} --set graph=GRAPH --set train.epochs=MORE trains them",
      run.folder().string(), run.folder().string());
}

torch::Tensor with_new_relations(const torch::Tensor& rows, std::int64_t directed, std::int64_t dim,
                                 const torch::Tensor& of_new) {
  const std::int64_t half = rows.size(dim) / 2, more = directed / 2 - half;
  HASA_CHECK(rows.size(dim) % 2 == 0 && more >= 0, data, "a model of {} directed relations does not fit a graph of {}",
             rows.size(dim), directed);
  if (more == 0) return rows;
  std::vector<std::int64_t> repeats(static_cast<std::size_t>(rows.dim()), 1);
  repeats[static_cast<std::size_t>(dim)] = more;
  const torch::Tensor fresh = of_new.repeat(repeats);
  return torch::cat({rows.narrow(dim, 0, half), fresh, rows.narrow(dim, half, half), fresh}, dim);
}

}  // namespace hasa
