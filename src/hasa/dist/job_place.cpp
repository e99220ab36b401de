#include "hasa/dist/job_place.h"

#include <cstdlib>
#include <string_view>

#include "hasa/base/error.h"
#include "hasa/base/number_in.h"

namespace hasa {
namespace {

/// The variables of one starter.
struct Names {
  const char *rank, *size, *local_rank, *local_size;
};
constexpr Names kTorchrun{"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
constexpr Names kOpenMpi{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                         "OMPI_COMM_WORLD_LOCAL_SIZE"};
// Of a step: a batch script that starts no step has SLURM_PROCID and SLURM_NTASKS too, but is one process.
constexpr Names kSlurm{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr};

class Reader {
 public:
  explicit Reader(const Environment& environment) : environment_(environment) {}

  std::optional<std::string> text(const char* name) const {
    const char* value = name == nullptr ? nullptr : environment_(name);
    return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
  }
  std::optional<std::int64_t> number(const char* name, std::int64_t least, std::int64_t most) const {
    const auto words = text(name);
    if (!words) return std::nullopt;
    const auto value = number_in<std::int64_t>(*words);
    HASA_CHECK(value && *value >= least && *value <= most, config,
               "the environment variable {} is \"{}\", expected a whole number from {} to {}", name, *words, least,
               most);
    return value;
  }
  double seconds(const char* name, double otherwise) const {
    const auto words = text(name);
    if (!words) return otherwise;
    const auto value = number_in<double>(*words);
    HASA_CHECK(value && *value >= 1 && *value <= 1e7, config,
               "the environment variable {} is \"{}\", expected seconds, 1 at least", name, *words);
    return *value;
  }

 private:
  const Environment& environment_;
};

constexpr std::int64_t kMostProcesses = 1 << 20;

/// Fills in what a starter says; false: it says nothing.
bool read_ranks(const Reader& read, const Names& names, JobPlace& place) {
  const auto size = read.number(names.size, 1, kMostProcesses), rank = read.number(names.rank, 0, kMostProcesses - 1);
  if (!size) return false;
  HASA_CHECK(rank, config, "{} is set to {} but {} is not\nset both, or neither for one process", names.size, *size,
             names.rank);
  HASA_CHECK(*rank < *size, config, "{} is {}, but {} is {}", names.rank, *rank, names.size, *size);
  place.rank = static_cast<int>(*rank);
  place.size = static_cast<int>(*size);
  place.local_rank = static_cast<int>(read.number(names.local_rank, 0, *size - 1).value_or(0));
  place.local_size = static_cast<int>(read.number(names.local_size, 1, *size).value_or(0));
  HASA_CHECK(place.local_size == 0 || place.local_rank < place.local_size, config, "{} is {}, but {} is {}",
             names.local_rank, place.local_rank, names.local_size, place.local_size);
  return true;
}

/// Slurm's "16(x2),8": the processes of the first machine of the step, which is at least what others have.
int slurm_local_size(const Reader& read) {
  const auto words = read.text("SLURM_STEP_TASKS_PER_NODE");
  if (!words) return 0;
  return static_cast<int>(number_in<std::int64_t>(words->substr(0, words->find_first_of("(,"))).value_or(0));
}

}  // namespace

std::string first_host(const std::string& hosts) {
  const std::size_t bracket = hosts.find('['), comma = hosts.find(',');
  if (bracket == std::string::npos || comma < bracket) return hosts.substr(0, comma);
  const std::size_t end = hosts.find_first_of(",-]", bracket), close = hosts.find(']', bracket);
  if (close == std::string::npos) return hosts.substr(0, bracket);
  const std::size_t next = hosts.find(',', close);
  const std::string after = hosts.substr(close + 1, next == std::string::npos ? next : next - close - 1);
  return hosts.substr(0, bracket) + hosts.substr(bracket + 1, end - bracket - 1) + after;
}

JobPlace place_in(const Environment& environment) {
  const Reader read(environment);
  JobPlace place;
  place.silence = read.seconds("HASA_RANK_TIMEOUT", place.silence);
  place.longest_wait = read.seconds("HASA_WAIT_TIMEOUT", place.longest_wait);
  bool slurm = false;
  if (!read_ranks(read, kTorchrun, place) && !read_ranks(read, kOpenMpi, place)) {
    slurm = read_ranks(read, kSlurm, place);
    if (!slurm) return place;
    place.local_size = slurm_local_size(read);
  }
  if (place.size == 1) return place;
  place.store_is_there = read.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
  auto address = read.text("MASTER_ADDR");
  if (const auto hosts = read.text("SLURM_STEP_NODELIST"); !address && slurm && hosts) address = first_host(*hosts);
  HASA_CHECK(address || place.local_size == place.size, config,
             "this is process {} of {} on several machines, but MASTER_ADDR is not set\nset it, for all processes, to "
             "the name or address of the machine that rank 0 runs on",
             place.rank, place.size);
  if (address) place.address = *address;
  place.port = static_cast<std::uint16_t>(read.number("MASTER_PORT", 1, 65535).value_or(place.port));
  if (place.local_size == 0) place.local_size = 1;
  return place;
}

JobPlace place_in_environment() {
  return place_in([](const char* name) { return std::getenv(name); });
}

}  // namespace hasa
