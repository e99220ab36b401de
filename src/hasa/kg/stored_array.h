#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace hasa {

/// An array that is either owned and can grow, or a view into a mapped file. Readers cannot tell which.
template <class T>
class StoredArray {
 public:
  StoredArray() = default;
  StoredArray(std::vector<T> values) : owned_(std::move(values)) { refresh(); }  // NOLINT: converts on purpose
  /// The memory must outlive the array.
  static StoredArray viewing(std::span<const T> values) {
    StoredArray array;
    array.data_ = values.data();
    array.size_ = values.size();
    return array;
  }
  StoredArray(StoredArray&& other) noexcept
      : owned_(std::move(other.owned_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  StoredArray& operator=(StoredArray&& other) noexcept {
    owned_ = std::move(other.owned_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* data() const { return data_; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::span<const T> span() const { return {data_, size_}; }

  /// Owned arrays only.
  void push_back(const T& value) {
    owned_.push_back(value);
    refresh();
  }
  void append(std::span<const T> values) {
    owned_.insert(owned_.end(), values.begin(), values.end());
    refresh();
  }
  void reserve(std::size_t size) {
    owned_.reserve(size);
    refresh();
  }
  void set(std::size_t i, const T& value) { owned_[i] = value; }

 private:
  void refresh() {
    data_ = owned_.data();
    size_ = owned_.size();
  }

  std::vector<T> owned_;
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace hasa
