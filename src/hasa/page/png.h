#pragma once

#include <optional>
#include <string>

namespace hasa {

/// What to_svg_file wrote, as the bytes of a PNG file of three pixels to a unit of the drawing, which is 300 dpi where
/// it is printed 9 cm wide. librsvg draws it, opened when it is first needed: a program without it runs, and then there
/// is no PNG, as there is none of what it cannot read.
std::optional<std::string> png_of_svg(const std::string& svg);

}  // namespace hasa
