#pragma once

namespace hasa {

// The files of this folder as they are, built into the program (cmake/embed.cmake).
extern const char* const kExplorerPage;
extern const char* const kExplorerStyle;
extern const char* const kExplorerIcon;
extern const char* const kAddViewScript;
extern const char* const kAnswersScript;
extern const char* const kApiScript;
extern const char* const kAskViewScript;
extern const char* const kComboboxScript;
extern const char* const kComposerScript;
extern const char* const kCurveChartScript;
extern const char* const kDomScript;
extern const char* const kEntityViewScript;
extern const char* const kForceLayoutScript;
extern const char* const kGraphDataScript;
extern const char* const kGraphDrawingScript;
extern const char* const kGraphViewScript;
extern const char* const kLandingScript;
extern const char* const kLinkRowScript;
extern const char* const kMainScript;
extern const char* const kPartsScript;
extern const char* const kQuestionScript;
extern const char* const kReasonsScript;
extern const char* const kRouteScript;
extern const char* const kRunViewScript;
extern const char* const kStartViewScript;
extern const char* const kTokenScript;

}  // namespace hasa
