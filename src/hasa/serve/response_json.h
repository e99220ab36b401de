#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "hasa/http/message.h"
#include "hasa/serve/live_state.h"
#include "hasa/serve/question.h"

namespace hasa {

// What the API answers with; /openapi.json describes it.

/// 200 with this body; bytes of a name that are not UTF-8 become U+FFFD.
HttpResponse json_response(const nlohmann::ordered_json& body, int status = 200);

/// [{"id", "name", "description", "score", "probability", "known"}]
nlohmann::ordered_json to_json(std::span<const Answer> answers, const LiveState& state);
nlohmann::ordered_json to_json(std::span<const RelationAnswer> answers, const LiveState& state);
/// {"score", "probability", "known"}
nlohmann::ordered_json to_json(const Judgement& judgement);
/// {"id", "name", "description"}
nlohmann::ordered_json brief_json(EntityId entity, const LiveState& state);
/// The same with at most `limit` facts, changes first.
nlohmann::ordered_json full_json(EntityId entity, const LiveState& state, std::size_t limit);

/// The answer to a request during which this was thrown, refusals of the library among them; call it while the
/// exception is handled.
HttpResponse response_to_exception(const LiveState& state);

}  // namespace hasa
