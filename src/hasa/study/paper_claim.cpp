#include "hasa/study/paper_claim.h"

#include <vector>

#include "hasa/base/error.h"

namespace hasa {

// Sections are counted as the paper does: 1 Introduction, 2 Related work, 3 Background, 4 Hard negatives, 5 HaSa,
// 6 HaSa+, 7 Experiments, 8 Conclusion.
std::span<const PaperClaim> paper_claims() {
  static const std::vector<PaperClaim> kClaims = {
      {1, "Section 4.1, Figure 1",
       "Negatives drawn from the hard distribution contain far more false negatives than those drawn from the simple "
       "one, for every number of negatives and on both graphs."},
      {2, "Section 4.2, Figure 2",
       "Among hard negatives, the false ones tend to have a smaller shortest path length between head and tail than "
       "the true ones, so that the length tells them apart."},
      {3, "Section 7.2, Table 2", "Hard InfoNCE has a significantly higher Hit@1 than Simple InfoNCE."},
      {4, "Section 7.2, Table 2",
       "Taking false negatives into account, HaSa improves on Hard InfoNCE on both graphs, in Hit@1 and MRR above all."},
      {5, "Section 7.2, Figure 3",
       "On WN18RR, Hard and Simple InfoNCE begin alike, and Hard gradually outperforms Simple as training progresses; on "
       "FB15k-237 Hard is better throughout."},
      {6, "Section 7.2, Figure 3",
       "On FB15k-237, HaSa begins like Hard InfoNCE in the first epoch and outperforms it as training continues."},
      {7, "Section 7.2, Table 3",
       "On WN18RR, HaSa+ has the best MRR, Hit@1, Hit@3 and Hit@10 of all methods compared (MRR .538)."},
      {8, "Section 7.2, Table 3",
       "Methods on pre-trained language models have better mean ranks than classic ones; before HaSa they had a worse "
       "Hit@1, which HaSa and HaSa+ make up for."},
      {9, "Section 7.2, Table 3",
       "On FB15k-237, HaSa and HaSa+ are the best of the methods on language models and are outperformed by RotatE; "
       "HaSa+ improves on HaSa in Hit@10 only."},
      {10, "Section 7.1, Table 1", "The average degree is 3.2 on WN18RR and 81 on FB15k-237."},
      {11, "Section 7.3, Figure 4",
       "Positive tails of a query cluster together and so do negative ones, in two dominant clusters on WN18RR and in "
       "many smaller ones on FB15k-237."},
      {12, "Section 7.4, Figure 5", "On WN18RR, HaSa has its best MRR and Hit@10 at tau = 2e-5."},
      {13, "Section 7.4, Figure 6", "On FB15k-237, HaSa has its best MRR and Hit@10 at tau = 1e-4."},
      {14, "Section 7.5, Table 4, Figure 7",
       "On WN18RR, HaSa over BERT-base ends better than over Sentence-BERT, which is better early in training."},
      {15, "Section 7.5, Table 5, Figure 7", "On FB15k-237, HaSa over Sentence-BERT is better than over BERT-base."},
      {16, "Section 7.6, Table 6",
       "On WN18RR, d = 500 outperforms d = 100, and by more the more negatives there are."},
      {17, "Section 7.6, Table 6",
       "Larger batches, which have more negatives, give better results, by less from 128 to 256 than from 64 to 128."},
      {18, "Section 3",
       "The InfoNCE loss bounds the mutual information of a query and its tail from below: minimising the loss maximises "
       "the bound."},
      {19, "Appendix A.1, Remark 1",
       "The gradient in a false negative's embedding is opposite in direction to that in the positive tail's, so false "
       "negatives are pushed away from their query."},
      {20, "Section 8",
       "Future work: graph metrics other than the shortest path length may tell false negatives."},
      {21, "Section 6, Section 8",
       "HaSa+ contrasts against simple contexts alone; the bi-directional loss has potential left to explore."},
  };
  return kClaims;
}

const PaperClaim& paper_claim(int number) {
  const auto claims = paper_claims();
  HASA_CHECK(number >= 1 && number <= static_cast<int>(claims.size()), data,
             "the paper's claims are numbered from 1 to {}; there is no {}", claims.size(), number);
  return claims[static_cast<std::size_t>(number - 1)];
}

}  // namespace hasa
