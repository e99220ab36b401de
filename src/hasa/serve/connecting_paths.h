#pragma once

#include <cstddef>
#include <vector>

#include "hasa/serve/reasons.h"

namespace hasa {

/// The shortest ways from one entity to another along the links of training and of changes, in any direction: at most
/// four links, no entity twice. Fewer links come first; among equals those through entities with few links, since a way
/// through a hub joins almost any two. A way's weight is the product over the entities between of 1 / (1 + log(links)),
/// halved for each link after the first.
///
/// `asked` is left out, whichever way it is walked: that two entities are linked so is no reason that they are. Longer
/// ways are looked for only while there are fewer than `count`. Of an entity with very many links a part is followed,
/// so that the search takes milliseconds on any graph.
std::vector<PathReason> connecting_paths(const LiveState& state, const WalkedEdge& asked, std::size_t count);

}  // namespace hasa
