#include "kernel/reference/ml/trees/attributes.h"

#include <cstring>
#include <string>

#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

Result<std::vector<double>> FloatsOfTensor(const Tensor& tensor) {
  std::vector<double> out;
  if (!tensor.defined()) return out;
  const auto count = static_cast<size_t>(tensor.shape().elems());
  WB_RETURN_IF_ERROR(
      DispatchDType(tensor.dtype(), TypeList<float, double, Half>{}, [&]<typename T>() {
        for (size_t i = 0; i < count; ++i) {
          T value;  // attribute tensors may be misaligned in a mapped file
          std::memcpy(&value, tensor.view().data + i * sizeof(T), sizeof(T));
          out.push_back(static_cast<double>(value));
        }
        return Status::Ok();
      }));
  return out;
}

Result<std::vector<double>> FloatsOrTensor(const graph::Attributes& attrs, std::string_view name) {
  if (const Tensor* tensor = attrs.Get<Tensor>(std::string(name) + "_as_tensor")) {
    return FloatsOfTensor(*tensor);
  }
  const std::vector<float> floats = attrs.Floats(name);
  return std::vector<double>(floats.begin(), floats.end());
}

}  // namespace waybill::kernel::reference
