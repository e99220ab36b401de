#include "hasa/serve/front/metrics.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;

TEST(ServeMetrics, CountRequestsByRouteAndStatus) {
  ServeMetrics metrics;
  metrics.count_request("predict", 200, 0.0005);
  metrics.count_request("predict", 200, 0.004);
  metrics.count_request("predict", 404, 99);
  const std::string text = metrics.text({});
  EXPECT_THAT(text, HasSubstr("hasa_requests_total{route=\"predict\",status=\"200\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("hasa_requests_total{route=\"predict\",status=\"404\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("hasa_request_seconds_bucket{route=\"predict\",le=\"0.001\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("hasa_request_seconds_bucket{route=\"predict\",le=\"0.005\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("hasa_request_seconds_bucket{route=\"predict\",le=\"+Inf\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("hasa_request_seconds_count{route=\"predict\"} 3\n"));
}

TEST(ServeMetrics, CountWhatWasScoredTogether) {
  ServeMetrics metrics;
  metrics.count_batch("known", 3, 0.01);
  metrics.count_batch("known", 5, 0.01);
  metrics.count_changes(2);
  const std::string text = metrics.text({});
  EXPECT_THAT(text, HasSubstr("hasa_batch_questions_bucket{lane=\"known\",le=\"4\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("hasa_batch_questions_sum{lane=\"known\"} 8\n"));
  EXPECT_THAT(text, HasSubstr("hasa_changes_total 2\n"));
}

TEST(ServeMetrics, ShowGaugesWithTheirKind) {
  const std::string text = ServeMetrics().text({{"a_total", "Of all.", 7, true}, {"b", "Now.", 0.5}});
  EXPECT_THAT(text, HasSubstr("# HELP a_total Of all.\n# TYPE a_total counter\na_total 7\n"));
  EXPECT_THAT(text, HasSubstr("# HELP b Now.\n# TYPE b gauge\nb 0.5\n"));
}

}  // namespace
}  // namespace hasa
