#include "exec/program/constants.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "exec/program/survey.h"
#include "graph/ir/constant_bytes.h"
#include "memory/weights/weight_load.h"

namespace waybill::exec {

namespace {

std::string MakerOf(const graph::Constant& constant, size_t bytes, size_t align) {
  if (constant.rows() != nullptr) return "rows/1 " + constant.rows()->maker();
  return constant.is_splat() ? Format("splat/1 {} {}", bytes, align) : Format("bytes/1 {}", align);
}

// The same type and shape without bytes.
Result<graph::Constant> Spent(const graph::Constant& constant) {
  const BufferView none{nullptr, constant.tensor().view().bytes(), {}};
  WB_ASSIGN_OR_RETURN(Tensor tensor,
                      Tensor::Wrap(constant.dtype(), constant.shape(), SharedView::Unowned(none)));
  return graph::Constant(std::move(tensor));
}

}  // namespace

bool IsLarge(const graph::Constant& constant) {
  return constant.defined() && !constant.is_splat() && constant.dtype() != DType::kString &&
         (constant.rows() != nullptr || constant.tensor().view().data != nullptr) &&
         constant.tensor().view().bytes() >= kLargeConstantBytes;
}

bool IsWrittenOut(const graph::Constant& constant) {
  const auto address = reinterpret_cast<uintptr_t>(constant.tensor().view().data);
  return constant.is_splat() || constant.rows() != nullptr ||
         address % DTypeAlign(constant.dtype()) != 0;
}

graph::Graph WithoutLargeConstants(const graph::Graph& graph) {
  graph::Graph copy = graph;
  for (graph::ValueId id = 0; id < copy.num_values(); ++id) {
    graph::Constant& constant = copy.value(id).constant;
    if (IsLarge(constant)) constant = graph::Constant();
  }
  return copy;
}

void LetGo(const graph::Graph& graph, graph::ValueId value, const BuildOptions& options) {
  const graph::Constant& constant = graph.value(value).constant;
  if (!IsLarge(constant)) return;
  if (options.survey != nullptr) {
    if (options.let_go) options.survey->LetGo(constant);
    return;
  }
  if (options.weights != nullptr) {
    for (const auto bytes : graph::SourcesOf(constant)) options.weights->Forget(bytes);
  }
  if (!options.let_go) return;
  const Result<graph::Constant> spent = Spent(constant);
  if (spent.ok()) options.let_go(graph, value, *spent);
}

Result<Tensor> PlaceConstant(const graph::Graph& graph, graph::ValueId value,
                             const BuildOptions& options, size_t& copied_bytes) {
  const graph::Constant& constant = graph.value(value).constant;
  const TensorView& from = constant.tensor().view();
  WB_ASSIGN_OR_RETURN(const size_t bytes, Tensor::BytesFor(constant.dtype(), constant.shape()));
  const size_t align = DTypeAlign(constant.dtype());
  const bool copies = IsWrittenOut(constant);
  const bool large = bytes >= kLargeConstantBytes && constant.dtype() != DType::kString;
  // Bytes of a file or of the caller stay where they are.
  const auto made_while_loading = [&] {
    return constant.tensor().storage().owner() != nullptr &&
           options.weights->OriginOf({from.data, from.bytes()}) == WeightOrigin::kOwn;
  };
  const bool callers =
      options.weights != nullptr && copies && !constant.is_splat() && constant.rows() == nullptr &&
      options.weights->OriginOf({from.data, from.bytes()}) == WeightOrigin::kCaller;
  const auto materialize = [&]() -> Result<Tensor> {
    WB_ASSIGN_OR_RETURN(Tensor made, constant.Materialize(options.source, MemoryTag::kWeights));
    if (callers) {
      options.weights->NoteCallerCopy(graph.value(value).name);
      options.weights->CountCaller(bytes);
    }
    return made;
  };
  const bool shares = options.weights != nullptr && large && (copies || made_while_loading());
  Tensor placed;
  if (shares) {
    WeightRequest request;
    request.maker = MakerOf(constant, bytes, align);
    request.sources = graph::SourcesOf(constant);
    request.bytes = bytes;
    request.form = WeightForm::kPlaced;
    const auto make = [&]() -> Result<SharedView> {
      WB_ASSIGN_OR_RETURN(const Tensor tensor, materialize());
      return SharedView(tensor.storage().owner(),
                        {tensor.view().data, bytes, tensor.storage().device()});
    };
    WB_ASSIGN_OR_RETURN(SharedView shared, options.weights->FindOrMake(request, make));
    WB_ASSIGN_OR_RETURN(placed,
                        Tensor::Wrap(constant.dtype(), constant.shape(), std::move(shared)));
  } else {
    WB_ASSIGN_OR_RETURN(placed, materialize());
  }
  if (copies) copied_bytes += bytes;
  if (placed.view().data != from.data && large) {
    if (options.weights != nullptr && !constant.is_splat()) {
      for (const auto source : graph::SourcesOf(constant)) options.weights->Forget(source);
    }
    if (options.let_go) options.let_go(graph, value, graph::Constant(placed));
  }
  return placed;
}

}  // namespace waybill::exec
