// A session of one library with its inputs, ready to run again and again.
#pragma once

#include <string>
#include <vector>

#include "bench/e2e/library.h"
#include "tensor/tensor/tensor.h"

namespace waybill::bench {

class BenchSession {
 public:
  // All of these throw BenchError with what the library said.
  BenchSession(const Library& library, const std::string& model_path, int threads);
  BenchSession(const Library& library, const std::string& model_bytes, int threads, bool in_memory);
  ~BenchSession();
  BenchSession(const BenchSession&) = delete;
  BenchSession& operator=(const BenchSession&) = delete;

  const Library& library() const { return library_; }
  size_t num_inputs() const { return input_names_.size(); }

  // Tensors by input, read in place (strings are copied): they must outlive the session.
  // Undefined ones are not fed.
  void SetInputs(const std::vector<Tensor>& inputs);

  // Runs with outputs made by the library; those of the run before are released first.
  void Run();
  // Runs into the outputs of the run before.
  void RunInPlace();

  // Of the last run, in the model's order; they belong to the session.
  const std::vector<OrtValue*>& outputs() const { return outputs_; }
  const std::vector<std::string>& output_names() const { return output_names_; }

 private:
  OrtSessionOptions* MakeOptions(int threads) const;
  void ReadNames();
  OrtValue* MakeInput(const Tensor& tensor) const;
  void ReleaseOutputs();

  const Library& library_;
  OrtSession* session_ = nullptr;
  std::vector<std::string> input_names_, output_names_;
  std::vector<const char*> fed_names_, fetched_names_;
  std::vector<OrtValue*> inputs_, outputs_;
};

}  // namespace waybill::bench
