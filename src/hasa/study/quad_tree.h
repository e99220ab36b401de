#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hasa/study/point_set.h"

namespace hasa {

/// Places in a tree of squares (Barnes and Hut, 1986), for sums over all pairs that fall off with distance: squares
/// that are small for how far away they are count as one point at their centre of mass.
class QuadTree {
 public:
  /// The places are referred to and must outlive the tree.
  explicit QuadTree(std::span<const Place> places);

  /// With w_j = 1 / (1 + |y - y_j|^2), over all places j but the one asked about: force is the sum of w_j^2 (y - y_j),
  /// weight the sum of w_j.
  struct Repulsion {
    Place force;
    double weight = 0;
  };
  /// theta: a square counts as one point where its width is less than theta times its distance; at 0 every pair is
  /// looked at. Below 0.7, so that no square is far from a place it holds. Always adds up in the same order.
  Repulsion repulsion(std::size_t place, double theta) const;

 private:
  struct Square {
    Place centre_of_mass;
    double width = 0;
    std::uint32_t begin = 0, end = 0;        // of order_
    std::array<std::int32_t, 4> inner = {};  // numbers of squares, -1 for an empty one
    bool is_leaf = true;
  };
  std::int32_t build(std::uint32_t begin, std::uint32_t end, Place middle, double width, int depth);

  std::span<const Place> places_;
  std::vector<std::uint32_t> order_;  // places, those of a square side by side
  std::vector<Square> squares_;       // the first holds all
};

}  // namespace hasa
