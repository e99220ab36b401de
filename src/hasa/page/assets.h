#pragma once

namespace hasa {

// The files of this folder as they are, built into the program (cmake/embed.cmake).
extern const char* const kChartStyle;    // chart.css: of a chart, on a page or by itself
extern const char* const kPageStyle;     // page.css
extern const char* const kPageScript;    // page.js
extern const char* const kPageTemplate;  // page.html

}  // namespace hasa
