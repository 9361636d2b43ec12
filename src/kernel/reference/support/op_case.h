// Where op_case.h was; include kernel/reference/testing/op_case.h.
#pragma once

#include "kernel/reference/testing/op_case.h"  // IWYU pragma: export
