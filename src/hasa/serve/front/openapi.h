#pragma once

namespace hasa {

/// openapi.json of this folder, built into the program (cmake/embed.cmake): what GET /openapi.json answers.
extern const char* const kOpenApi;

}  // namespace hasa
