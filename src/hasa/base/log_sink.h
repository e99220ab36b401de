#pragma once

#include <functional>
#include <string>

#include "hasa/base/log.h"

namespace hasa {

using LogSink = std::function<void(LogLevel, const std::string&)>;

/// Where messages go instead of stderr, from the level that was set on; null for stderr again. Called by whichever
/// thread logs; to be set while no other thread does.
void set_log_sink(LogSink sink);

}  // namespace hasa
