#include "hasa/http/responder.h"

#include <sys/eventfd.h>

#include "hasa/base/system_error.h"

namespace hasa {

HttpMailbox::HttpMailbox() : event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!event_) fail_system("make", "an eventfd");
}

void HttpMailbox::post(Letter letter) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = letters_.empty();
    letters_.push_back(std::move(letter));
  }
  if (first) wake();
}

std::vector<HttpMailbox::Letter> HttpMailbox::take() {
  std::uint64_t count = 0;
  (void)!::read(event_.get(), &count, sizeof count);
  const std::lock_guard lock(mutex_);
  return std::exchange(letters_, {});
}

void HttpMailbox::wake() {
  const std::uint64_t one = 1;
  (void)!::write(event_.get(), &one, sizeof one);
}

}  // namespace hasa
