// Which file a load keeps its packed weights in.
#pragma once

#include <string>

#include "base/status/result.h"
#include "session/load/config.h"
#include "session/load/model_source.h"
#include "session/options/options.h"

namespace waybill::session {

// Empty when config.packed_weights_path is: nothing is written unless it is asked for. Models, and
// loads of one model whose options lead to other constants, have files of their own: the name ends
// with a hash of both, so that none takes the place of another's.
// Errors: kInvalidArgument when the file is to lie beside a model that is no file.
Result<std::string> PackedWeightsFile(const ModelSource& source, const SessionOptions& options,
                                      const Config& config);

// Name and version of this library, which the file must have been written by.
std::string LibraryVersion();

}  // namespace waybill::session
