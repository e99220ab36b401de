#include "hasa/dist/job_place.h"

#include <gtest/gtest.h>

#include <map>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

JobPlace place_of(const std::map<std::string, std::string>& variables) {
  return place_in([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(JobPlace, IsOneProcessWhereNobodySaysOtherwise) {
  const JobPlace place = place_of({});
  EXPECT_EQ(place.rank, 0);
  EXPECT_EQ(place.size, 1);
}

TEST(JobPlace, IsReadFromWhatTorchrunSets) {
  const JobPlace place = place_of({{"RANK", "5"},
                                   {"WORLD_SIZE", "16"},
                                   {"LOCAL_RANK", "1"},
                                   {"LOCAL_WORLD_SIZE", "4"},
                                   {"MASTER_ADDR", "node7"},
                                   {"MASTER_PORT", "1234"},
                                   {"TORCHELASTIC_USE_AGENT_STORE", "True"}});
  EXPECT_EQ(place.rank, 5);
  EXPECT_EQ(place.size, 16);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.local_size, 4);
  EXPECT_EQ(place.address, "node7");
  EXPECT_EQ(place.port, 1234);
  EXPECT_TRUE(place.store_is_there);
}

TEST(JobPlace, IsReadFromWhatOpenMpiSetsAlsoInsideASlurmStep) {
  const JobPlace place = place_of({{"OMPI_COMM_WORLD_RANK", "1"},
                                   {"OMPI_COMM_WORLD_SIZE", "2"},
                                   {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                   {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                                   {"SLURM_PROCID", "0"},
                                   {"SLURM_STEP_NUM_TASKS", "1"}});
  EXPECT_EQ(place.rank, 1);
  EXPECT_EQ(place.size, 2);
  EXPECT_EQ(place.local_size, 2);
  EXPECT_EQ(place.address, "127.0.0.1");
  EXPECT_FALSE(place.store_is_there);
}

TEST(JobPlace, IsReadFromASlurmStepWhoseFirstMachineKeepsTheStore) {
  const JobPlace place = place_of({{"SLURM_PROCID", "9"},
                                   {"SLURM_STEP_NUM_TASKS", "12"},
                                   {"SLURM_LOCALID", "1"},
                                   {"SLURM_STEP_TASKS_PER_NODE", "8,4"},
                                   {"SLURM_STEP_NODELIST", "gpu[017-018]"}});
  EXPECT_EQ(place.rank, 9);
  EXPECT_EQ(place.size, 12);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.local_size, 8);
  EXPECT_EQ(place.address, "gpu017");
}

TEST(JobPlace, OfABatchScriptThatStartsNoStepIsOneProcess) {
  EXPECT_EQ(place_of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}).size, 1);
}

TEST(JobPlace, FindsTheFirstHostOfSlurmsLists) {
  EXPECT_EQ(first_host("login"), "login");
  EXPECT_EQ(first_host("a1,b[2-3]"), "a1");
  EXPECT_EQ(first_host("node[003-007,9],login"), "node003");
  EXPECT_EQ(first_host("node[5,9]"), "node5");
  EXPECT_EQ(first_host("rack[2-4]-ib,other"), "rack2-ib");
}

TEST(JobPlace, RefusesWhatMakesNoSense) {
  EXPECT_ERROR(place_of({{"WORLD_SIZE", "2"}}), "WORLD_SIZE is set to 2 but RANK is not");
  EXPECT_ERROR(place_of({{"WORLD_SIZE", "2"}, {"RANK", "2"}}), "RANK is 2, but WORLD_SIZE is 2");
  EXPECT_ERROR(place_of({{"WORLD_SIZE", "two"}, {"RANK", "0"}}), "WORLD_SIZE is \"two\", expected a whole number");
  EXPECT_ERROR(place_of({{"WORLD_SIZE", "2"}, {"RANK", "0"}, {"MASTER_PORT", "70000"}}), "MASTER_ADDR is not set");
  EXPECT_ERROR(place_of({{"WORLD_SIZE", "2"}, {"RANK", "0"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "70000"}}),
               "MASTER_PORT is \"70000\"");
  EXPECT_ERROR(place_of({{"HASA_RANK_TIMEOUT", "soon"}}), "HASA_RANK_TIMEOUT is \"soon\", expected seconds");
  EXPECT_ERROR(
      place_of(
          {{"WORLD_SIZE", "4"}, {"RANK", "0"}, {"LOCAL_RANK", "2"}, {"LOCAL_WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}}),
      "LOCAL_RANK is 2, but LOCAL_WORLD_SIZE is 2");
}

}  // namespace
}  // namespace hasa
