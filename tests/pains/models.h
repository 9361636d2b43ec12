// Models that the tests of users' pains share, written here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/model/writer/model_writer.h"

namespace waybill::pains {

// `count` numbers around zero that look like weights, the same ones each time.
std::vector<float> Weights(int64_t count, float scale = 0.05f);

// y = conv(relu(conv(x))) + x, on floats [1, channels, side, side].
std::string ConvModel(int64_t channels, int64_t width, int64_t side);

// y = relu(x w + b) v, on floats [1, "length", features].
std::string PerceptronModel(int64_t features, int64_t hidden);

// A layer normalisation of opset 17 after a product and before another, on float16
// ["a", "b", "c", features].
std::string HalfNormModel(int64_t features);

// "same" is the input itself, "twice" its double, on floats ["n"].
std::string PassThroughModel();

// y = rows of a table [rows, columns] of floats in the file "table.bin", chosen by int64 ids ["n"].
std::string TableModel(int64_t rows, int64_t columns);

// y = x w on floats ["n", rows], where w [rows, columns] lies in the file `location`.
std::string ExternalProductModel(int64_t rows, int64_t columns, const std::string& location);

// y = x multiplied by a matrix `trips` times, one node after the other in a loop, on floats
// [side, side]. Long runs of short nodes. Without `trips` it is an input, one int64 [].
std::string LoopModel(std::optional<int64_t> trips, int64_t side = 64);

}  // namespace waybill::pains
