// SPDX-License-Identifier: Apache-2.0
#include "signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

namespace tandem::cli {
namespace {

constexpr int ending[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGPIPE};

// Handlers must find plain memory.
char to_remove[4096];
volatile std::sig_atomic_t removing = 0, stopped_by = 0;

const char* name_of_signal(int signal) {
  switch (signal) {
    case SIGINT: return "SIGINT";
    case SIGTERM: return "SIGTERM";
    case SIGQUIT: return "SIGQUIT";
    case SIGHUP: return "SIGHUP";
    case SIGPIPE: return "SIGPIPE";
    default: return "a signal";
  }
}

void say_in_handler(const char* text) {
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, text, std::strlen(text));
}

extern "C" void say_and_die(int signal) {
  if (signal != SIGPIPE || removing) {
    say_in_handler("error: interrupted by ");
    say_in_handler(name_of_signal(signal));
    say_in_handler(removing ? "; nothing was written\n" : "\n");
  }
  if (removing) ::unlink(to_remove);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

extern "C" void note_signal(int signal) {
  stopped_by = signal;
  for (const int s : ending) std::signal(s, SIG_DFL);
}

/// Of those that a caller may have switched off for good (nohup), the ones that are stay so.
void on_ending_signals(void (*handler)(int)) {
  for (const int signal : ending) {
    const auto before = std::signal(signal, handler);
    if (before == SIG_IGN && (signal == SIGHUP || signal == SIGPIPE)) std::signal(signal, SIG_IGN);
  }
}

}  // namespace

void prepare_process() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    // the wrong way round: using it fails as it does while it is closed
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  std::signal(SIGXFSZ, SIG_IGN);
  on_ending_signals(say_and_die);
}

void remove_when_ended(const std::string& path) {
  if (path.size() >= sizeof to_remove) return;
  std::memcpy(to_remove, path.c_str(), path.size() + 1);
  removing = 1;
}

void keep_when_ended() { removing = 0; }

SignalsHeld::SignalsHeld() {
  ::sigset_t held;
  ::sigemptyset(&held);
  for (const int signal : ending) ::sigaddset(&held, signal);
  ::sigprocmask(SIG_BLOCK, &held, &before_);
}

SignalsHeld::~SignalsHeld() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

StopBySignal::StopBySignal() {
  stopped_by = 0;
  on_ending_signals(note_signal);
}

StopBySignal::~StopBySignal() { on_ending_signals(say_and_die); }

bool StopBySignal::wanted() { return stopped_by != 0; }

const char* StopBySignal::name() { return name_of_signal(stopped_by); }

}  // namespace tandem::cli
