#pragma once

#include <functional>
#include <string>

#include "hasa/base/log.h"

namespace hasa {

using LogSink = std::function<void(LogLevel, const std::string&)>;

/// Where messages go instead of stderr, from the current level on; null for
/// stderr again. Called by the logging thread; set it while no other thread logs.
void set_log_sink(LogSink sink);

}  // namespace hasa
