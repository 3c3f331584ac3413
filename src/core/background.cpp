// SPDX-License-Identifier: Apache-2.0
#include "core/background.hpp"

#include <signal.h>
#include <unistd.h>

#include <system_error>
#include <utility>

namespace tandem {

Background::~Background() {
  if (!thread_.joinable()) return;
  if (process_ == ::getpid())
    thread_.join();
  else
    thread_.detach();
}

bool Background::start(std::function<void()> work) {
  // a thread is born with the mask of its parent
  ::sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  process_ = ::getpid();
  bool started = true;
  try {
    thread_ = std::thread(std::move(work));
  } catch (const std::system_error&) {
    started = false;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace tandem
