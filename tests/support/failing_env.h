// An Env whose memory from the operating system can be made to run out.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "memory/source/failing_source.h"
#include "memory/source/hub.h"
#include "session/options/env.h"

namespace waybill::testing {

struct FailingEnv {
  std::shared_ptr<session::Env> env;
  std::vector<std::shared_ptr<FailingSource>> sources;  // all that the Env takes memory from

  explicit FailingEnv(session::EnvOptions options = {}) {
    options.wrap_source = [this](std::shared_ptr<MemorySource> source) {
      return sources.emplace_back(std::make_shared<FailingSource>(std::move(source)));
    };
    auto made = session::Env::Create(std::move(options));
    if (made.ok()) env = std::move(made).value();
  }
  FailingEnv(const FailingEnv&) = delete;
  FailingEnv& operator=(const FailingEnv&) = delete;

  // Gives idle memory back and says what is in use then, in bytes.
  size_t BytesLeft() const {
    env->Trim();
    size_t bytes = 0;
    for (const DeviceUse& use : env->hub().ledger->Snapshot()) bytes += use.total.bytes_in_use;
    return bytes;
  }
};

}  // namespace waybill::testing
