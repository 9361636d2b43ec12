#include "exec/program/survey.h"

#include "exec/program/builder.h"
#include "exec/program/constants.h"
#include "graph/ir/constant_bytes.h"
#include "memory/admission/budget_source.h"
#include "memory/weights/weight_load.h"

namespace waybill::exec {

// One that somebody else holds too does not go; of rows, what they are made of goes with them.
void BuildSurvey::LetGo(const graph::Constant& constant) {
  const auto& rows = constant.rows();
  if (rows.use_count() > 1) return;
  const SharedView& storage = rows != nullptr ? rows->storage() : constant.tensor().storage();
  if (origins == nullptr || storage.owner().use_count() != 1) return;
  if (origins->OriginOf({storage.data(), storage.bytes()}) != WeightOrigin::kOwn) return;
  if (let_go.insert(storage.data()).second) {
    released += BudgetSource::ChargedBytes(storage.bytes());
  }
}

Status BuildSurvey::Place(const graph::Constant& constant) {
  if (!IsWrittenOut(constant)) return Status::Ok();
  WB_ASSIGN_OR_RETURN(const size_t bytes, Tensor::BytesFor(constant.dtype(), constant.shape()));
  const WeightLoad* known = look_up ? origins : nullptr;
  std::string key = Format("placed {}{}", bytes, constant.is_splat() ? " splat" : "");
  if (constant.rows() != nullptr) key += constant.rows()->maker();
  for (const auto source : graph::SourcesOf(constant)) {
    key += Format(" {}", WeightSurvey::KeyOf(source, known));
  }
  packed->Note(std::move(key), bytes);
  return Status::Ok();
}

Result<WeightSum> SurveyWeights(const graph::Graph& graph, const BuildOptions& options,
                                bool look_up) {
  BuildSurvey survey;
  survey.packed = std::make_shared<WeightSurvey>(options.source);
  survey.origins = options.weights;
  survey.look_up = look_up;
  BuildOptions noting = options;
  noting.survey = &survey;
  noting.source = survey.packed;
  noting.pool = nullptr;
  noting.width = 1;
  noting.book = nullptr;
  if (!look_up) noting.weights = nullptr;
  BuildReport report;
  WB_RETURN_IF_ERROR(Program::Build(graph, noting, report).status());
  return WeightSum{survey.packed->bytes(), survey.released};
}

}  // namespace waybill::exec
