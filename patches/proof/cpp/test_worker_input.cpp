// What worker_input.h promises, without a process around it: each case has a
// pipe for stdin. Self-contained, as upstream's own tests of the worker are.

#include <executorch/examples/llm_server/cpp/worker_input.h>
#include <executorch/runtime/platform/runtime.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

using executorch::extension::llm::WorkerInput;
using executorch::extension::llm::WorkerRequest;

namespace {

int g_failures = 0;

void check(const char* name, bool ok) {
  std::printf("  [%s] %s\n", ok ? "PASS" : "FAIL", name);
  g_failures += ok ? 0 : 1;
}

class Pipe {
 public:
  Pipe() {
    if (::pipe(ends_) != 0) {
      std::abort();
    }
  }

  ~Pipe() {
    hang_up();
    ::close(ends_[0]);
  }

  int reading_end() const {
    return ends_[0];
  }

  void write(const std::string& bytes) {
    size_t at = 0;
    while (at < bytes.size()) {
      at += ::write(ends_[1], bytes.data() + at, bytes.size() - at);
    }
  }

  void hang_up() {
    if (ends_[1] >= 0) {
      ::close(ends_[1]);
      ends_[1] = -1;
    }
  }

 private:
  int ends_[2];
};

std::string generate(int id, const std::string& session = "") {
  return "{\"prompt\":\"x\",\"cancel_request_id\":" + std::to_string(id) +
      ",\"session_id\":\"" + session + "\"}\n";
}

std::string cancel(int id) {
  return "{\"op\":\"cancel\",\"request_id\":" + std::to_string(id) + "}\n";
}

std::string cancel_session(const std::string& session) {
  return "{\"op\":\"cancel\",\"session_id\":\"" + session + "\"}\n";
}

// Lines are taken in order, so when one has come all before it have: what was
// written before a marker has taken effect once the marker is there.
const char* const kMarker = "{\"op\":\"open\",\"session_id\":\"marker\"}\n";

bool is_marker(WorkerRequest& request) {
  return request.body().value("op", "") == "open";
}

void test_requests_come_in_order_and_whole() {
  Pipe pipe;
  WorkerInput input(pipe.reading_end());
  pipe.write(generate(1) + "\n\n" + generate(2));
  auto first = input.next();
  auto second = input.next();
  check(
      "in order, blank lines skipped",
      first->body()["cancel_request_id"] == 1 &&
          second->body()["cancel_request_id"] == 2);
}

void test_a_line_may_come_in_any_pieces() {
  const std::string lines = generate(1) + cancel(1) + generate(2) + kMarker;
  bool right = true;
  for (size_t cut = 0; cut <= lines.size(); ++cut) {
    Pipe pipe;
    WorkerInput input(pipe.reading_end());
    pipe.write(lines.substr(0, cut));
    if (cut % 7 == 0) {
      std::this_thread::yield();
    }
    pipe.write(lines.substr(cut));
    auto first = input.next();
    auto second = input.next();
    auto marker = input.next();
    right = right && first->ticket().cancelled && !second->ticket().cancelled &&
        is_marker(*marker);
  }
  check("every cut of three lines in two", right);
}

void test_a_line_longer_than_any_buffer() {
  Pipe pipe;
  WorkerInput input(pipe.reading_end());
  const std::string text(3 * 1024 * 1024, 'x');
  std::thread writer([&] {
    pipe.write("{\"prompt\":\"" + text + "\",\"cancel_request_id\":1}\n");
    pipe.write(cancel(1) + kMarker);
  });
  auto request = input.next();
  auto marker = input.next();
  writer.join();
  check(
      "3 MiB in one line, cancelled behind it",
      request->body()["prompt"].get<std::string>() == text &&
          request->ticket().cancelled);
}

void test_a_cancel_names_its_request() {
  Pipe pipe;
  WorkerInput input(pipe.reading_end());
  pipe.write(generate(1) + generate(2) + generate(3) + cancel(2) + kMarker);
  auto one = input.next();
  auto two = input.next();
  auto three = input.next();
  auto marker = input.next();
  check(
      "neither the one before nor the one behind",
      !one->ticket().cancelled && two->ticket().cancelled &&
          !three->ticket().cancelled);
}

void test_a_cancel_of_a_finished_request_does_nothing() {
  Pipe pipe;
  WorkerInput input(pipe.reading_end());
  pipe.write(generate(1));
  input.next(); // let go of at once
  pipe.write(cancel(1) + generate(1) + kMarker);
  auto again = input.next();
  auto marker = input.next();
  check("even where its number comes again", !again->ticket().cancelled);
}

void test_a_cancel_does_not_wait_for_its_request() {
  Pipe pipe;
  WorkerInput input(pipe.reading_end());
  pipe.write(cancel(1) + generate(1) + kMarker);
  auto request = input.next();
  auto marker = input.next();
  check("one that comes first is of no request", !request->ticket().cancelled);
}

void test_a_session_names_its_newest_request() {
  Pipe pipe;
  WorkerInput input(pipe.reading_end());
  pipe.write(
      generate(1, "a") + generate(2, "a") + generate(3, "b") +
      cancel_session("a") + kMarker);
  auto one = input.next();
  auto two = input.next();
  auto three = input.next();
  auto marker = input.next();
  check(
      "the newest of that session",
      !one->ticket().cancelled && two->ticket().cancelled &&
          !three->ticket().cancelled);
}

void test_both_names_must_be_right() {
  Pipe pipe;
  WorkerInput input(pipe.reading_end());
  pipe.write(
      generate(1, "a") +
      "{\"op\":\"cancel\",\"request_id\":1,\"session_id\":\"b\"}\n" + kMarker);
  auto request = input.next();
  auto marker = input.next();
  check("a request of another session", !request->ticket().cancelled);
}

void test_what_names_nothing_cancels_nothing() {
  Pipe pipe;
  WorkerInput input(pipe.reading_end());
  pipe.write(generate(0));
  for (const char* wanted :
       {"{\"op\":\"cancel\"}\n",
        "{\"op\":\"cancel\",\"session_id\":\"\"}\n",
        "{\"op\":\"cancel\",\"request_id\":null}\n",
        "{\"op\":\"cancel\",\"request_id\":\"0\"}\n",
        "{\"op\":\"cancel\",\"request_id\":-1}\n",
        "{\"op\":\"cancel\",\"request_id\":0.5}\n",
        "{\"op\":\"cancel\",\"request_id\":18446744073709551616}\n"}) {
    pipe.write(wanted);
  }
  pipe.write(kMarker);
  auto request = input.next();
  auto marker = input.next();
  check(
      "nor does any of it become a request",
      !request->ticket().cancelled && is_marker(*marker));
}

void test_zero_and_the_largest_number_are_names() {
  Pipe pipe;
  WorkerInput input(pipe.reading_end());
  const std::string most = "18446744073709551615";
  pipe.write(
      generate(0) + "{\"prompt\":\"x\",\"cancel_request_id\":" + most + "}\n" +
      cancel(0) + "{\"op\":\"cancel\",\"request_id\":" + most + "}\n" + kMarker);
  auto zero = input.next();
  auto largest = input.next();
  auto marker = input.next();
  check(
      "as any other", zero->ticket().cancelled && largest->ticket().cancelled);
}

void test_a_session_operation_is_not_cancelled() {
  Pipe pipe;
  WorkerInput input(pipe.reading_end());
  pipe.write(
      generate(1, "a") + "{\"op\":\"reset\",\"session_id\":\"a\"}\n" +
      cancel_session("a") + kMarker);
  auto request = input.next();
  auto reset = input.next();
  auto marker = input.next();
  check(
      "the generate before it is",
      request->ticket().cancelled && !reset->ticket().cancelled);
}

void test_what_is_no_request_keeps_its_place() {
  Pipe pipe;
  WorkerInput input(pipe.reading_end());
  pipe.write(
      generate(1) + "no json\n" + "{\"cancel_request_id\":-1}\n" + "[]\n" +
      generate(2));
  std::vector<bool> threw;
  for (int i = 0; i < 5; ++i) {
    auto request = input.next();
    try {
      request->body();
      threw.push_back(false);
    } catch (const std::exception&) {
      threw.push_back(true);
    }
  }
  check(
      "its error is told in its turn",
      threw == std::vector<bool>{false, true, true, false, false});
}

void test_a_hang_up_ends_what_runs_and_drops_what_waits() {
  Pipe pipe;
  WorkerInput input(pipe.reading_end());
  pipe.write(generate(1) + generate(2) + "{\"prompt\":\"cut off");
  auto running = input.next();
  pipe.hang_up();
  while (!running->ticket().cancelled) {
    std::this_thread::yield();
  }
  check("nothing is next", !input.next().has_value());
}

void test_the_end_of_a_file_is_only_the_end_of_the_requests() {
  char path[] = "/tmp/worker-input-XXXXXX";
  const int fd = ::mkstemp(path);
  std::ofstream(path) << generate(1) << generate(2) << "{\"prompt\":\"last\"}";
  std::vector<bool> cancelled;
  {
    WorkerInput input(fd);
    while (auto request = input.next()) {
      cancelled.push_back(request->ticket().cancelled);
    }
  }
  ::close(fd);
  ::unlink(path);
  check(
      "all are served, also one without a newline",
      cancelled == std::vector<bool>{false, false, false});
}

void test_it_ends_while_stdin_is_open() {
  Pipe pipe;
  {
    WorkerInput input(pipe.reading_end());
    pipe.write("half a line");
  }
  { WorkerInput input(pipe.reading_end()); }
  check("its thread is joined, twice", true);
}

void test_a_descriptor_that_is_not_open_is_the_end() {
  WorkerInput input(40); // below the size of any table of descriptors
  check("as stdin that was closed", !input.next().has_value());
}

void test_writers_and_the_loop_at_once() {
  Pipe pipe;
  WorkerInput input(pipe.reading_end());
  constexpr int kRequests = 2000;
  std::thread writer([&] {
    for (int id = 1; id <= kRequests; ++id) {
      // Even ones are cancelled, some in the same write, some in the next; and
      // each with a stale cancel for one long gone.
      std::string lines = generate(id);
      if (id % 4 == 0) {
        lines += cancel(id);
      }
      pipe.write(lines);
      if (id % 4 == 2) {
        pipe.write(cancel(id));
      }
      pipe.write(cancel(id - 500 > 0 ? id - 500 : 0));
    }
    pipe.write(kMarker);
  });
  int odd_cancelled = 0;
  int seen = 0;
  while (auto request = input.next()) {
    if (is_marker(*request)) {
      break;
    }
    ++seen;
    const int id = request->body()["cancel_request_id"];
    odd_cancelled += id % 2 == 1 && request->ticket().cancelled ? 1 : 0;
  }
  writer.join();
  // A stale cancel may find its request still queued, 500 behind; that one was
  // named, so odd ones may be cancelled too, but every line arrives once.
  check("no request is lost or doubled", seen == kRequests);
  std::printf("         (%d odd ones were still queued)\n", odd_cancelled);
}

} // namespace

int main() {
  ::executorch::runtime::runtime_init(); // as loading a model does
  std::printf("worker_input.h:\n");
  test_requests_come_in_order_and_whole();
  test_a_line_may_come_in_any_pieces();
  test_a_line_longer_than_any_buffer();
  test_a_cancel_names_its_request();
  test_a_cancel_of_a_finished_request_does_nothing();
  test_a_cancel_does_not_wait_for_its_request();
  test_a_session_names_its_newest_request();
  test_both_names_must_be_right();
  test_what_names_nothing_cancels_nothing();
  test_zero_and_the_largest_number_are_names();
  test_a_session_operation_is_not_cancelled();
  test_what_is_no_request_keeps_its_place();
  test_a_hang_up_ends_what_runs_and_drops_what_waits();
  test_the_end_of_a_file_is_only_the_end_of_the_requests();
  test_it_ends_while_stdin_is_open();
  test_a_descriptor_that_is_not_open_is_the_end();
  test_writers_and_the_loop_at_once();
  std::printf("\n%s\n", g_failures == 0 ? "ALL PASS" : "FAILURES");
  return g_failures == 0 ? 0 : 1;
}
