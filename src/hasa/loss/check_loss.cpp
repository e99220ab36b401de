#include "hasa/loss/check_loss.h"

#include "hasa/base/error.h"
#include "hasa/base/log.h"

namespace hasa {

void check_loss(const ContrastiveConfig& loss) {
  HASA_CHECK(!loss.paper_listing || loss.kind == ContrastiveKind::hasa, config,
             "loss.paper_listing is a form of HaSa\nremove it, or set loss.kind=hasa");
  const bool weighted = loss.kind != ContrastiveKind::simple && loss.beta > 0 && !loss.paper_listing;
  HASA_CHECK(!loss.weight_gradient || weighted, config,
             "loss.weight_gradient has no effect: without beta all negatives have equal weights\nremove it, or set "
             "loss.kind=hard or hasa and loss.beta=1");
  if (loss.kind == ContrastiveKind::hard && loss.beta == 0) {
    log_warning("loss.kind=hard with loss.beta=0 equals loss.kind=simple; the paper uses loss.beta=1");
  }
}

}  // namespace hasa
