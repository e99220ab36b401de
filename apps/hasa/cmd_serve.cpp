#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/base/log_sink.h"
#include "hasa/base/memory.h"
#include "hasa/base/progress.h"
#include "hasa/base/stop_signal.h"
#include "hasa/serve/server.h"
#include "output.h"

namespace hasa {
namespace {

struct ServeArguments {
  std::string run, graph, device, host = "127.0.0.1", read_token_file, write_token_file, max_body = "1M";
  std::string log_requests = "all";
  std::vector<std::string> allow_host, allow_origin;
  bool read_only = false;
  int port = 8080;
  std::int64_t max_top = 1000;
  std::size_t max_batch = 1000, max_waiting = 4096, max_connections = 1024;
  double timeout = 30, arrival_timeout = 30, idle_timeout = 75, grace = 10;
};

/// --read-token-file is HASA_SERVE_READ_TOKEN_FILE in the environment.
std::string environment_twin(const std::string& flag) {
  std::string name = "HASA_SERVE_" + flag.substr(flag.find_first_not_of('-'));
  for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

ServerOptions server_options(const ServeArguments& options) {
  ServerOptions server;
  server.http = {.host = options.host,
                 .port = options.port,
                 .limits = {.body_bytes = static_cast<std::size_t>(parse_bytes(options.max_body, "--max-body"))},
                 .most_connections = options.max_connections,
                 .arrival = HttpSeconds(options.arrival_timeout),
                 .idle = HttpSeconds(options.idle_timeout),
                 .answer = HttpSeconds(options.timeout)};
  if (!options.read_token_file.empty()) server.access.read = Token::from_file(options.read_token_file);
  if (!options.write_token_file.empty()) server.access.write = Token::from_file(options.write_token_file);
  server.access.hosts = options.allow_host;
  server.access.hosts.push_back(options.host);
  server.access.origins = options.allow_origin;
  server.limits.requests.top = options.max_top;
  server.limits.requests.batch = options.max_batch;
  server.limits.questions.waiting = options.max_waiting;
  server.limits.changes_waiting = options.max_waiting;
  server.grace = HttpSeconds(options.grace);
  server.logged = options.log_requests == "all"      ? LoggedRequests::all
                  : options.log_requests == "failed" ? LoggedRequests::failed
                                                     : LoggedRequests::none;
  return server;
}

void warn_where_anybody_may_write(const ServeArguments& options) {
  const bool local = options.host == "localhost" || options.host == "::1" || options.host.starts_with("127.");
  if (local || !options.write_token_file.empty() || !options.read_token_file.empty() || options.read_only) return;
  log_warning("anyone who can reach {} may change the graph; --write-token-file or --read-only would prevent that",
              options.host);
}

/// What changes leave behind for good is small, and what they need for a moment large: with an arena for each thread,
/// the one pins the other's pages, and resident memory grows for hours.
void keep_memory_together() {
#ifdef __GLIBC__
  ::mallopt(M_ARENA_MAX, 2);
#endif
}

/// http://127.0.0.1:8080/, as a browser takes it.
std::string url_of(const std::string& host, int port) {
  std::string shown = host == "0.0.0.0" || host == "::" ? "localhost" : host;
  if (shown.find(':') != std::string::npos) shown = "[" + shown + "]";
  return fmt::format("http://{}:{}/", shown, port);
}

void serve(const ServeArguments& options) {
  keep_memory_together();
  ::signal(SIGPIPE, SIG_IGN);  // a log without a reader does not end the server
  set_progress_enabled(false);
  EventLog log(STDERR_FILENO);
  set_log_sink(
      [&log](LogLevel level, const std::string& message) { log.write(level, "message", {{"message", message}}); });
  // Once the log is closed, errors are reported as by every command.
  const std::shared_ptr<void> no_sink(nullptr, [](void*) { set_log_sink(nullptr); });
  warn_where_anybody_may_write(options);
  Server server(server_options(options), log);
  std::unique_ptr<StopSignal> stop;  // while the run is being opened there is nothing to clean up
  server.serve(
      [&] {
        const auto live = options.read_only ? Journal::Access::read : Journal::Access::write;
        auto run = ServedRun::open(options.run, {.graph = options.graph, .device = options.device, .live = live});
        run->calibrate_if_cheap();
        return run;
      },
      [&] { return stop->requested(); },
      [&] {
        stop = std::make_unique<StopSignal>();
        print(fmt::format("{} is served at {}\n", options.run, url_of(options.host, server.port())));
        std::fflush(stdout);
      });
}

/// Options that can also be set in the environment.
class ServeFlags {
 public:
  explicit ServeFlags(CLI::App& command) : command_(command) {}

  template <class T>
  CLI::Option* add(const std::string& flag, T& value, const std::string& what) {
    return command_.add_option(flag, value, what)->envname(environment_twin(flag));
  }
  CLI::Option* add_flag(const std::string& flag, bool& value, const std::string& what) {
    return command_.add_flag(flag, value, what)->envname(environment_twin(flag));
  }

 private:
  CLI::App& command_;
};

void add_limits(ServeFlags& add, ServeArguments& of) {
  const CLI::Range some(1, 1 << 20), seconds(0.01, 86400.0);
  add.add("--max-body", of.max_body, "maximum size of a request body")->capture_default_str();
  add.add("--max-top", of.max_top, "maximum number of answers to a question")->check(some)->capture_default_str();
  add.add("--max-batch", of.max_batch, "maximum number of questions or triples in a request")
      ->check(some)
      ->capture_default_str();
  add.add("--max-waiting", of.max_waiting, "maximum number of queued questions; beyond it clients get 429")
      ->check(some)
      ->capture_default_str();
  add.add("--max-connections", of.max_connections, "maximum number of connections")->check(some)->capture_default_str();
  add.add("--timeout", of.timeout, "seconds until a request times out (503)")->check(seconds)->capture_default_str();
  add.add("--arrival-timeout", of.arrival_timeout, "seconds for a request to arrive completely (408)")
      ->check(seconds)
      ->capture_default_str();
  add.add("--idle-timeout", of.idle_timeout, "seconds until an idle connection is closed")
      ->check(seconds)
      ->capture_default_str();
  add.add("--grace", of.grace, "seconds to finish pending requests after a stop signal")
      ->check(seconds)
      ->capture_default_str();
}

}  // namespace

void add_serve(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("serve", "serve a run over HTTP: an API, a web page, and changes of the graph");
  const auto options = std::make_shared<ServeArguments>();
  ServeFlags add(*command);
  add.add("run", options->run, "folder written by hasa train")->required();
  add.add("--host", options->host, "address to listen on; 0.0.0.0 for all interfaces")->capture_default_str();
  add.add("--port", options->port, "port to listen on; 0 for any free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  add.add("--read-token-file", options->read_token_file, "file with the token required for reading");
  add.add("--write-token-file", options->write_token_file, "file with the token required for changing the graph");
  add.add_flag("--read-only", options->read_only, "accept no changes; several servers may then share a run");
  add.add("--allow-host", options->allow_host,
          "a further host name of this server, besides its addresses and localhost")
      ->delimiter(',');
  add.add("--allow-origin", options->allow_origin,
          "an origin under which a proxy publishes this server: https://graph.example")
      ->delimiter(',');
  add_limits(add, *options);
  add.add("--log-requests", options->log_requests, "which requests to log, as lines of JSON on stderr")
      ->check(CLI::IsMember({"all", "failed", "none"}))
      ->capture_default_str();
  add.add("--graph", options->graph, "the run's graph, if it has moved");
  add.add("--device", options->device, "auto, cpu, cuda or cuda:N; the default is the run's");
  command->footer("Every option can also be set in the environment: --read-token-file by HASA_SERVE_READ_TOKEN_FILE.");
  command->callback([options] { serve(*options); });
}

}  // namespace hasa
