#include "hasa/study/quad_tree.h"

#include <algorithm>
#include <numeric>

namespace hasa {
namespace {

constexpr std::uint32_t kPlacesOfALeaf = 4;
constexpr int kDeepest = 40;  // places that are closer than 2^-40 of the whole stay in one leaf

}  // namespace

QuadTree::QuadTree(std::span<const Place> places) : places_(places), order_(places.size()) {
  if (places.empty()) return;
  std::iota(order_.begin(), order_.end(), 0U);
  Place low = places[0], high = places[0];
  for (const Place& place : places) {
    low = {std::min(low.x, place.x), std::min(low.y, place.y)};
    high = {std::max(high.x, place.x), std::max(high.y, place.y)};
  }
  build(0, static_cast<std::uint32_t>(places.size()), {(low.x + high.x) / 2, (low.y + high.y) / 2},
        std::max(high.x - low.x, high.y - low.y), 0);
}

std::int32_t QuadTree::build(std::uint32_t begin, std::uint32_t end, Place middle, double width, int depth) {
  if (begin == end) return -1;
  const auto number = squares_.size();
  squares_.emplace_back();
  squares_[number].width = width;
  squares_[number].begin = begin;
  squares_[number].end = end;
  Place sum;
  for (std::uint32_t k = begin; k < end; ++k) sum = {sum.x + places_[order_[k]].x, sum.y + places_[order_[k]].y};
  squares_[number].centre_of_mass = {sum.x / (end - begin), sum.y / (end - begin)};
  if (end - begin <= kPlacesOfALeaf || depth == kDeepest || width == 0) return static_cast<std::int32_t>(number);

  const auto first = order_.begin();
  const auto split = [&](std::uint32_t from, std::uint32_t to, auto is_before) {
    return static_cast<std::uint32_t>(std::stable_partition(first + from, first + to, is_before) - first);
  };
  const auto is_below = [&](std::uint32_t place) { return places_[place].y < middle.y; };
  const auto is_left = [&](std::uint32_t place) { return places_[place].x < middle.x; };
  const std::uint32_t upper = split(begin, end, is_below);
  const std::array<std::uint32_t, 5> ends{begin, split(begin, upper, is_left), upper, split(upper, end, is_left), end};
  std::array<std::int32_t, 4> inner{};
  for (std::size_t k = 0; k < 4; ++k) {
    const Place inner_middle{middle.x + (k % 2 == 0 ? -width : width) / 4, middle.y + (k < 2 ? -width : width) / 4};
    inner[k] = build(ends[k], ends[k + 1], inner_middle, width / 2, depth + 1);
  }
  squares_[number].inner = inner;
  squares_[number].is_leaf = false;
  return static_cast<std::int32_t>(number);
}

QuadTree::Repulsion QuadTree::repulsion(std::size_t place, double theta) const {
  Repulsion sum;
  const Place at = places_[place];
  const auto add = [&](const Place& other, double mass, double squared) {
    const double weight = 1 / (1 + squared);
    sum.weight += mass * weight;
    sum.force.x += mass * weight * weight * (at.x - other.x);
    sum.force.y += mass * weight * weight * (at.y - other.y);
  };
  const auto squared_to = [&](const Place& other) {
    const double x = at.x - other.x, y = at.y - other.y;
    return x * x + y * y;
  };
  std::array<std::int32_t, 4 * (kDeepest + 1)> waiting{};
  std::size_t count = squares_.empty() ? 0 : 1;
  while (count > 0) {
    const Square& square = squares_[static_cast<std::size_t>(waiting[--count])];
    const double squared = squared_to(square.centre_of_mass);
    if (square.is_leaf) {
      for (std::uint32_t k = square.begin; k < square.end; ++k) {
        if (order_[k] != place) add(places_[order_[k]], 1, squared_to(places_[order_[k]]));
      }
    } else if (square.width * square.width < theta * theta * squared) {
      add(square.centre_of_mass, square.end - square.begin, squared);
    } else {
      for (const std::int32_t inner : square.inner) {
        if (inner >= 0) waiting[count++] = inner;
      }
    }
  }
  return sum;
}

}  // namespace hasa
