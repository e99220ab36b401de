#include "hasa/page/png.h"

#include <cstdint>

#include "hasa/base/testing.h"
#include "hasa/page/svg.h"

namespace hasa {
namespace {

XyChart small_chart() {
  return {.text = {"curve", "A curve", "Rises."}, .x = {.label = "x"}, .y = {.label = "y"},
          .series = {{"one", {{0, 0}, {1, 2, Interval{1.5, 2.5}}}}, {"two", {{0, 2}, {1, 1}}}}};
}

/// Four bytes of the header, the most significant first.
std::uint32_t number_at(const std::string& png, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(png[at + i]);
  return number;
}

TEST(Png, IsThreePixelsToAUnitOfTheDrawing) {
  const std::string svg = to_svg_file(small_chart());
  const auto png = png_of_svg(svg);
  if (!png) GTEST_SKIP() << "librsvg is not installed";
  EXPECT_EQ(png->substr(0, 8), "\x89PNG\r\n\x1a\n");
  const std::string width = "width=\"" + std::to_string(number_at(*png, 16) / 3) + "\"";
  const std::string height = "height=\"" + std::to_string(number_at(*png, 20) / 3) + "\"";
  EXPECT_THAT(svg, ::testing::HasSubstr(width));
  EXPECT_THAT(svg, ::testing::HasSubstr(height));
}

TEST(Png, OfWhatIsNoDrawingThereIsNone) { EXPECT_EQ(png_of_svg("no drawing"), std::nullopt); }

}  // namespace
}  // namespace hasa
