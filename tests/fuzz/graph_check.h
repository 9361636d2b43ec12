// Loads a generated model at level none and at level all, runs both, and compares.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "session/options/env.h"
#include "tests/fuzz/choices.h"

namespace waybill::fuzz {

// What went wrong, or nothing: a load or run that failed, or outputs that differ in type, in shape
// or by more than 1e-4 of the largest value. The model's bytes are left in `model`.
std::string CheckGenerated(const std::shared_ptr<session::Env>& env, Choices& choices,
                           size_t max_nodes, std::string& model);

}  // namespace waybill::fuzz
