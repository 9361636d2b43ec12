// NodeCase as a plain structure, for tests that change one part of a case at a time.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cpu/kernels/testing/against_reference.h"

namespace waybill::cpu {

struct MatrixCase {
  std::string op;
  int version = 1;
  std::string domain = {};
  std::vector<Tensor> inputs = {};  // an undefined one is omitted
  std::vector<size_t> constants = {};
  std::vector<DType> outputs = {DType::kF32};
  graph::Attributes attrs = {};

  MatrixCase& Int(std::string name, int64_t value) {
    attrs.Set(std::move(name), value);
    return *this;
  }
  MatrixCase& Text(std::string name, std::string value) {
    attrs.Set(std::move(name), std::move(value));
    return *this;
  }
  MatrixCase& Real(std::string name, float value) {
    attrs.Set(std::move(name), value);
    return *this;
  }

  NodeCase Node() const {
    NodeCase out(op, version, domain);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].defined()) {
        out.In(inputs[i]);
      } else {
        out.Omit();
      }
      for (const size_t constant : constants) {
        if (constant == i) out.Constant();
      }
    }
    for (const auto& attribute : attrs.all()) out.Attr(attribute.name, attribute.value);
    out.Outputs(outputs);
    return out;
  }

  void Agrees(const std::string& impl, double rtol, double atol) const {
    Node().Near(rtol, atol).Agrees(impl);
  }
  void Fails(const std::string& words) const { Node().Fails(words); }
  void Refused(const std::string& words) const { Node().Refused(words); }
};

}  // namespace waybill::cpu
