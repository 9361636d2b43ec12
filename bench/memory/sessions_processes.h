// What a second process on the same model costs when packed weights are kept in a file.
#pragma once

#include <string>

#include "bench/memory/sessions_support.h"
#include "bench/memory/support/checks.h"

namespace waybill::bench {

// Processes one after the other, all alive at the end: one without a file, one that writes it, and
// those that map it, `count` of the last two kinds together. Prints what each took and which pages
// it shares; checks the last ones, and that all compute the same bits. `packed_folder` exists and
// has no such file. Throws std::runtime_error when something fails.
void MeasureProcesses(const std::string& library, const Model& model, int count,
                      const std::string& packed_folder, Checks& checks);

}  // namespace waybill::bench
