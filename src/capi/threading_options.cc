// Settings of the shared thread pool.
#include <algorithm>

#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/error.h"

namespace waybill::capi {
namespace {

template <typename Change>
OrtStatus* With(OrtThreadingOptions* tp_options, Change&& change) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(tp_options);
    change(*tp_options);
    return Status::Ok();
  });
}

}  // namespace

OrtStatus* CreateThreadingOptions(OrtThreadingOptions** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    *out = new OrtThreadingOptions;
    return Status::Ok();
  });
}

void ReleaseThreadingOptions(OrtThreadingOptions* input) { delete input; }

OrtStatus* SetGlobalIntraOpNumThreads(OrtThreadingOptions* tp_options, int intra_op_num_threads) {
  return With(tp_options, [&](auto& o) { o.intra_op_threads = std::max(intra_op_num_threads, 0); });
}

OrtStatus* SetGlobalInterOpNumThreads(OrtThreadingOptions* tp_options, int inter_op_num_threads) {
  return With(tp_options, [&](auto& o) { o.inter_op_threads = inter_op_num_threads; });
}

OrtStatus* SetGlobalSpinControl(OrtThreadingOptions* tp_options, int allow_spinning) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(tp_options);
    if (allow_spinning != 0 && allow_spinning != 1) {
      return Error(Code::kInvalidArgument, "allow_spinning is {}, not 0 or 1", allow_spinning);
    }
    tp_options->spin = allow_spinning == 1;
    return Status::Ok();
  });
}

OrtStatus* SetGlobalDenormalAsZero(OrtThreadingOptions* tp_options) {
  return With(tp_options, [](auto& o) { o.denormal_as_zero = true; });
}

}  // namespace waybill::capi
