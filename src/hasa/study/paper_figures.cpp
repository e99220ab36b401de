#include "hasa/study/paper_figures.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace hasa {
namespace {

constexpr double kOpen = -1;

struct Line {
  std::string_view system;
  std::array<double, 5> wn18rr, fb15k237;  // MR, MRR, Hits@1, Hits@3, Hits@10
};

// KBGAN's figures are the same for both graphs in the paper, so one of the two is doubtful.
constexpr std::array<Line, 10> kTable3 = {{
    {"TransE", {2300, .243, .043, .441, .532}, {323, .279, .198, .376, .441}},
    {"RotatE", {3340, .476, .428, .492, .571}, {177, .338, .241, .375, .533}},
    {"DistMult", {7000, .444, .412, .470, .504}, {512, .281, .199, .301, .446}},
    {"ComplEx", {5542, .468, .427, .485, .554}, {546, .278, .194, .297, .450}},
    {"KBGAN", {kOpen, .277, kOpen, kOpen, .458}, {kOpen, .277, kOpen, kOpen, .458}},
    {"KG-BERT", {97, .216, .041, .302, .524}, {153, kOpen, kOpen, kOpen, .420}},
    {"StAR", {51, .401, .243, .491, .709}, {117, .296, .205, .322, .482}},
    {"LASS", {55, kOpen, kOpen, kOpen, .725}, {131, kOpen, kOpen, kOpen, .479}},
    {"HaSa", {135, .489, .400, .535, .666}, {146, .316, .233, .340, .477}},
    {"HaSa+", {112, .538, .444, .588, .713}, {146, .304, .220, .325, .483}},
}};

std::optional<double> known(double value) { return value == kOpen ? std::nullopt : std::optional(value); }

}  // namespace

std::optional<PaperMetrics> paper_metrics(const std::string& system, const std::string& graph) {
  const auto line = std::ranges::find(kTable3, system, &Line::system);
  if (line == kTable3.end() || !paper_graph(graph)) return std::nullopt;
  const auto& m = graph == "WN18RR" ? line->wn18rr : line->fb15k237;
  return PaperMetrics{known(m[0]), known(m[1]), known(m[2]), known(m[3]), known(m[4])};
}

std::optional<PaperGraph> paper_graph(const std::string& graph) {
  if (graph == "WN18RR") return PaperGraph{40943, 11, 86835, 3034, 3134, 3.2};
  if (graph == "FB15k-237") return PaperGraph{14541, 237, 272115, 17535, 20466, 81};
  return std::nullopt;
}

}  // namespace hasa
