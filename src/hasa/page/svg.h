#pragma once

#include <string>

#include "hasa/page/chart.h"

namespace hasa {

/// A chart as an <svg> element of a page, 360 units wide, which a phone shows at its own size. Complete without a
/// script: every mark has its words in a <title>. Its colours are the classes of chart.css.
std::string to_svg(const Chart& chart);

/// The same as a file that stands by itself, on white, with its title written above it.
std::string to_svg_file(const Chart& chart);

}  // namespace hasa
