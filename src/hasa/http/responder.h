#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "hasa/http/fd.h"
#include "hasa/http/message.h"

namespace hasa {

/// Where responses wait for the thread that owns the connections. Any thread may post to it, even after the server is
/// gone.
class HttpMailbox {
 public:
  /// For a connection; without a response if the request was dropped unanswered.
  struct Letter {
    std::uint64_t connection;
    std::optional<HttpResponse> response;
  };

  HttpMailbox();
  void post(Letter letter);
  std::vector<Letter> take();
  /// Wakes whoever waits on descriptor(), with or without letters.
  void wake();
  /// Readable if a response is waiting.
  int descriptor() const { return event_.get(); }

 private:
  Fd event_;
  std::mutex mutex_;
  std::vector<Letter> letters_;
};

/// The right to answer one request, once, from any thread and at any time. A request whose responder is destroyed
/// without an answer gets 503, so that no client waits forever.
class HttpResponder {
 public:
  HttpResponder(std::shared_ptr<HttpMailbox> mailbox, std::uint64_t connection)
      : mailbox_(std::move(mailbox)), connection_(connection) {}
  ~HttpResponder() {
    if (mailbox_) mailbox_->post({connection_, std::nullopt});
  }
  HttpResponder(HttpResponder&&) noexcept = default;
  HttpResponder& operator=(HttpResponder&& other) noexcept {
    std::swap(mailbox_, other.mailbox_);
    std::swap(connection_, other.connection_);
    return *this;
  }

  void send(HttpResponse response) {
    if (const auto mailbox = std::exchange(mailbox_, nullptr)) mailbox->post({connection_, std::move(response)});
  }

 private:
  std::shared_ptr<HttpMailbox> mailbox_;
  std::uint64_t connection_;
};

}  // namespace hasa
