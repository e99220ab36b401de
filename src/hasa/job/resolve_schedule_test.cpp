#include "hasa/job/resolve_schedule.h"

#include "hasa/base/testing.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

Graph graph_of(std::uint64_t triples) {
  SyntheticOptions options;
  options.entities = 200;
  options.triples = triples;
  options.texts = false;
  return synthetic_graph(options);
}

RunConfig config_with(std::initializer_list<const char*> options) {
  RunConfig config;
  for (const char* option : options) apply_assignment(fields_of(config), option);
  return config;
}

TEST(ResolveSchedule, ChoosesForAFrozenModelByTheSizeOfTheGraph) {
  RunConfig small = config_with({}), large = config_with({});
  resolve_schedule(small, graph_of(300));
  resolve_schedule(large, graph_of(30'000));
  EXPECT_EQ(schedule_of(small)->batch, 128);
  EXPECT_GE(schedule_of(small)->epochs, 60);
  EXPECT_EQ(schedule_of(large)->batch, 1024);
  EXPECT_EQ(schedule_of(large)->epochs, 7);
}

TEST(ResolveSchedule, KeepsToOneBatchWhereTheSizeOfTheGraphSaysNothing) {
  for (const char* type : {"model.type=text", "model.type=complex"}) {
    RunConfig config = config_with({type});
    resolve_schedule(config, graph_of(30'000));
    EXPECT_EQ(schedule_of(config)->batch, 256) << type;
    EXPECT_EQ(schedule_of(config)->epochs, 10) << type;
  }
}

TEST(ResolveSchedule, NeverChangesWhatWasSet) {
  RunConfig config = config_with({"train.batch=256", "train.epochs=7"});
  resolve_schedule(config, graph_of(300));
  EXPECT_EQ(schedule_of(config)->batch, 256);
  EXPECT_EQ(schedule_of(config)->epochs, 7);
}

}  // namespace
}  // namespace hasa
