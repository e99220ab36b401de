#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace hasa {

/// A persistent map from numbers to values: copying copies a pointer, and a
/// change copies only the nodes on its path and shares all others. So
/// a writer makes the next version while any number of readers use the last one.
///
/// A trie over the bits of the key's hash, five at a time; a node holds its present children alone.
template <class Value>
class PersistentMap {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// Null if the key is absent. Valid as long as any version with this value.
  const Value* find(std::uint64_t key) const {
    const std::uint64_t bits = mixed(key);
    const Node* node = root_.get();
    for (int shift = 0; node != nullptr; shift += kBits) {
      const std::uint32_t bit = bit_at(bits, shift);
      if ((node->present & bit) == 0) return nullptr;
      const Slot& slot = node->slots[node->place(bit)];
      if (slot.value) return slot.key == key ? slot.value.get() : nullptr;
      node = slot.child.get();
    }
    return nullptr;
  }

  void set(std::uint64_t key, Value value) {
    bool is_new = false;
    root_ = with(root_.get(), {key, std::make_shared<const Value>(std::move(value)), nullptr}, 0, is_new);
    size_ += is_new ? 1 : 0;
  }

  /// False if the key is absent. A map has the same nodes whatever was erased from it before.
  bool erase(std::uint64_t key) {
    if (find(key) == nullptr) return false;
    root_ = without(*root_, key, 0);
    --size_;
    return true;
  }

  /// visit(key, value), in no order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    if (root_) for_each(*root_, visit);
  }

 private:
  static constexpr int kBits = 5;

  struct Node;
  struct Slot {  // a value, or more nodes
    std::uint64_t key = 0;
    std::shared_ptr<const Value> value;
    std::shared_ptr<const Node> child;
  };
  struct Node {
    std::uint32_t present = 0;
    std::vector<Slot> slots;
    std::size_t place(std::uint32_t bit) const { return static_cast<std::size_t>(std::popcount(present & (bit - 1))); }
  };

  /// One to one (splitmix64's finish), so that different keys part at the last bits at the latest.
  static std::uint64_t mixed(std::uint64_t key) {
    key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9ULL;
    key = (key ^ (key >> 27)) * 0x94D049BB133111EBULL;
    return key ^ (key >> 31);
  }
  static std::uint32_t bit_at(std::uint64_t bits, int shift) { return std::uint32_t{1} << ((bits >> shift) & 31U); }

  static std::shared_ptr<const Node> with(const Node* node, Slot added, int shift, bool& is_new) {
    const std::uint32_t bit = bit_at(mixed(added.key), shift);
    if (node == nullptr || (node->present & bit) == 0) {
      is_new = true;
      return node == nullptr ? inserted({}, bit, std::move(added)) : inserted(*node, bit, std::move(added));
    }
    auto changed = std::make_shared<Node>(*node);
    Slot& slot = changed->slots[changed->place(bit)];
    if (slot.value && slot.key == added.key) {
      slot = std::move(added);
    } else if (slot.value) {  // two keys at one place: both go a node further down
      bool ignored = false;
      auto below = with(nullptr, std::move(slot), shift + kBits, ignored);
      slot = {0, nullptr, with(below.get(), std::move(added), shift + kBits, is_new)};
    } else {
      slot.child = with(slot.child.get(), std::move(added), shift + kBits, is_new);
    }
    return changed;
  }

  /// The node with one more slot, and no room to spare: nodes are never changed.
  static std::shared_ptr<const Node> inserted(const Node& node, std::uint32_t bit, Slot added) {
    auto changed = std::make_shared<Node>();
    const auto middle = node.slots.begin() + static_cast<std::ptrdiff_t>(node.place(bit));
    changed->present = node.present | bit;
    changed->slots.reserve(node.slots.size() + 1);
    changed->slots.assign(node.slots.begin(), middle);
    changed->slots.push_back(std::move(added));
    changed->slots.insert(changed->slots.end(), middle, node.slots.end());
    return changed;
  }

  /// The node without a key that it holds; null if nothing is left, which only happens at the root: below it a node
  /// holds at least two values, as a single one moves up into its place.
  static std::shared_ptr<const Node> without(const Node& node, std::uint64_t key, int shift) {
    const std::uint32_t bit = bit_at(mixed(key), shift);
    const std::size_t place = node.place(bit);
    if (const auto& child = node.slots[place].child) {
      auto changed = std::make_shared<Node>(node);
      auto left = without(*child, key, shift + kBits);
      const bool is_single = left->slots.size() == 1 && left->slots.front().value;
      changed->slots[place] = is_single ? left->slots.front() : Slot{0, nullptr, std::move(left)};
      return changed;
    }
    if (node.slots.size() == 1) return nullptr;
    auto changed = std::make_shared<Node>();
    changed->present = node.present & ~bit;
    changed->slots.reserve(node.slots.size() - 1);
    for (std::size_t i = 0; i < node.slots.size(); ++i) {
      if (i != place) changed->slots.push_back(node.slots[i]);
    }
    return changed;
  }

  template <class Visit>
  static void for_each(const Node& node, const Visit& visit) {
    for (const Slot& slot : node.slots) {
      if (slot.value) visit(slot.key, *slot.value);
      if (slot.child) for_each(*slot.child, visit);
    }
  }

  std::shared_ptr<const Node> root_;
  std::size_t size_ = 0;
};

}  // namespace hasa
