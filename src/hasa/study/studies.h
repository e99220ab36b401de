#pragma once

#include <span>
#include <string>

#include "hasa/study/study.h"

namespace hasa {

/// The only list there is of them, in the order in which `hasa study all` runs them.
std::span<const Study> studies();

/// Throws config, with the nearest name.
const Study& study_named(const std::string& name);

}  // namespace hasa
