#include "hasa/serve/page/page_files.h"

#include <vector>

#include "hasa/page/assets.h"
#include "hasa/serve/page/assets.h"

namespace hasa {

const std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

std::span<const PageFile> page_files() {
  constexpr std::string_view kScript = "text/javascript; charset=utf-8";
  static const std::vector<PageFile> files = {
      {"/", "text/html; charset=utf-8", kExplorerPage},
      {"/page/icon.svg", "image/svg+xml", kExplorerIcon},
      // The reports' look comes first, and what the page adds to it last.
      {"/page/explorer.css", "text/css; charset=utf-8", std::string(kChartStyle) + kPageStyle + kExplorerStyle},
      {"/page/add_view.js", kScript, kAddViewScript},
      {"/page/answers.js", kScript, kAnswersScript},
      {"/page/api.js", kScript, kApiScript},
      {"/page/ask_view.js", kScript, kAskViewScript},
      {"/page/combobox.js", kScript, kComboboxScript},
      {"/page/composer.js", kScript, kComposerScript},
      {"/page/curve_chart.js", kScript, kCurveChartScript},
      {"/page/dom.js", kScript, kDomScript},
      {"/page/entity_view.js", kScript, kEntityViewScript},
      {"/page/force_layout.js", kScript, kForceLayoutScript},
      {"/page/graph_data.js", kScript, kGraphDataScript},
      {"/page/graph_drawing.js", kScript, kGraphDrawingScript},
      {"/page/graph_view.js", kScript, kGraphViewScript},
      {"/page/landing.js", kScript, kLandingScript},
      {"/page/link_row.js", kScript, kLinkRowScript},
      {"/page/main.js", kScript, kMainScript},
      {"/page/parts.js", kScript, kPartsScript},
      {"/page/question.js", kScript, kQuestionScript},
      {"/page/reasons.js", kScript, kReasonsScript},
      {"/page/route.js", kScript, kRouteScript},
      {"/page/run_view.js", kScript, kRunViewScript},
      {"/page/start_view.js", kScript, kStartViewScript},
      {"/page/token.js", kScript, kTokenScript},
  };
  return files;
}

}  // namespace hasa
