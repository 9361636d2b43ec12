// What a load needs for weights, found out before it takes it.
#pragma once

#include <cstddef>

#include "base/status/status.h"
#include "exec/program/program.h"
#include "memory/weights/weight_load.h"
#include "session/load/admit_load.h"
#include "session/load/config.h"
#include "session/load/model_source.h"

namespace waybill::session {

// Asks for the bytes that OpenModel reads or copies. Errors: as LoadPlace::Ask.
Status AskToOpen(const ModelSource& source, const Config& config, LoadPlace& place);

// Asks for the tensors that are copied out of a model whose bytes pass. Errors: as LoadPlace::Ask.
Status AskToImport(const OpenedModel& opened, LoadPlace& place);

// Asks for all that the session will hold: its constants as they are, and what Program::Build with
// these options packs and writes out. Nothing of that is made before. Where packed weights become
// pages of a file nothing is asked for; where far more is free than packing can take, it is not
// found out to the byte. Errors: as LoadPlace::Ask; those of Program::Build.
Status AskToBuild(const graph::Graph& graph, const exec::BuildOptions& build, WeightLoad& weights,
                  LoadPlace& place);

}  // namespace waybill::session
