#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <memory>
#include <utility>

namespace hasa::python {

/// Rows of numbers that NumPy reads where they lie, and may not change.
template <class T>
using Matrix = nanobind::ndarray<nanobind::numpy, const T, nanobind::ndim<2>, nanobind::c_contig>;

/// `owner`, whatever it is, lives as long as an array over what it holds.
template <class T, class Owner>
Matrix<T> view_of(const T* data, std::size_t rows, std::size_t columns, Owner owner) {
  auto held = std::make_unique<Owner>(std::move(owner));
  nanobind::capsule capsule(held.get(), [](void* p) noexcept { delete static_cast<Owner*>(p); });
  held.release();
  return Matrix<T>(data, {rows, columns}, capsule);
}

}  // namespace hasa::python
