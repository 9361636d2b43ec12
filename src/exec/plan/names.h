// What reports call values and steps that the model leaves without a name.
#pragma once

#include <string>

#include "exec/program/program.h"

namespace waybill::exec {

// The node's name; "the Conv of 'y'" by its operator and first named output where it has none.
std::string NameOf(const Program& program, const Step& step);
// The value's name; "output 1 of " and its step where it has none.
std::string NameOf(const Program& program, SlotId slot);

}  // namespace waybill::exec
