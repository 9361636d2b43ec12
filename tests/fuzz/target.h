// What is done with one hostile input. A target returns when the input was handled, well or by a
// clean error; anything else (crash, hang, huge allocation) is the finding.
#pragma once

#include <cstddef>
#include <span>

namespace waybill::fuzz {

using Target = void (*)(std::span<const std::byte> input);

// Reads the input as a model, walks all of it and decodes every payload.
void ReadTarget(std::span<const std::byte> input);

// Reads the input as each of the messages that hold values.
void ValueTarget(std::span<const std::byte> input);

// Loads the input as a model into a session, without optimisation; does not run it.
void LoadTarget(std::span<const std::byte> input);

}  // namespace waybill::fuzz
