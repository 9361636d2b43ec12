// Control flow: steps whose work is to run bodies.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "exec/program/program.h"
#include "exec/runner/frame.h"
#include "exec/runner/run.h"

namespace waybill::exec {

// Runs an If, Loop, Scan or SequenceMap step; its outputs end in the frame as dynamic values.
Status RunControlStep(const Program& program, const Step& step, const RunEnv& env, Frame& frame);

Status RunIf(const Program& program, const Step& step, const RunEnv& env, Frame& frame);
Status RunLoop(const Program& program, const Step& step, const RunEnv& env, Frame& frame);
// Opset 9 and later; RunBatchedScan is opset 8's.
Status RunScan(const Program& program, const Step& step, const RunEnv& env, Frame& frame);
Status RunBatchedScan(const Program& program, const Step& step, const RunEnv& env, Frame& frame);
Status RunSequenceMap(const Program& program, const Step& step, const RunEnv& env, Frame& frame);

// A slot that holds `value`.
Slot SlotOf(Value value);
// The slot's value, copied where the slot does not own its bytes.
Result<Value> OwnedValue(const Slot& slot, const RunEnv& env);
// A fresh scalar (shape []).
Result<Value> ScalarValue(int64_t value, const RunEnv& env);
Result<Value> ScalarValue(bool value, const RunEnv& env);
// The single element of a bool or int64 tensor of any rank; `what` names it in errors.
Result<bool> ReadBool(const Slot& slot, std::string_view what);
Result<int64_t> ReadInt(const Slot& slot, std::string_view what);
Result<bool> ReadBool(const Value& value, std::string_view what);

}  // namespace waybill::exec
