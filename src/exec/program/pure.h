// Which operators may be computed ahead of a run.
#pragma once

#include "graph/ir/graph.h"

namespace waybill::exec {

// False for operators that draw random numbers: each run must draw anew.
bool IsPure(const graph::Node& node);

// True for operators that read the shape of their input but not its contents.
bool ReadsShapeOnly(const graph::Node& node);

}  // namespace waybill::exec
