// SPDX-License-Identifier: Apache-2.0
// Kept for programs that include it: the function is declared in the main header.
#pragma once

#include "onnxruntime_c_api.h"
