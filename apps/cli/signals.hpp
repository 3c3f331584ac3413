// SPDX-License-Identifier: Apache-2.0
/// What signals do to a run: end it with a word and without leftovers, or stop it where it stands.
#pragma once
#include <csignal>
#include <string>

namespace tandem::cli {

/// For the rest of the program: SIGINT, SIGTERM, SIGQUIT and SIGHUP say so on standard error, remove what
/// remove_when_ended() named, and end it; SIGPIPE does so without a word where there is nothing to remove. A file that
/// may not grow further (SIGXFSZ) is a failed write. Standard streams that are closed stay unusable, but their numbers
/// are taken, so that no file that is opened later gets what is meant for them.
void prepare_process();

/// The file that signals remove from now on, and that they leave alone again.
void remove_when_ended(const std::string& path);
void keep_when_ended();

/// Signals that end the program wait until this goes out of scope.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  ::sigset_t before_;
};

/// While this is there the first signal is kept, for a run to stop at; the second one ends the program.
class StopBySignal {
 public:
  StopBySignal();
  ~StopBySignal();
  StopBySignal(const StopBySignal&) = delete;
  StopBySignal& operator=(const StopBySignal&) = delete;

  /// Whether one has come, and which: "SIGINT".
  static bool wanted();
  static const char* name();
};

}  // namespace tandem::cli
