// What can be said of a type from several sources.
#pragma once

#include "graph/ir/graph.h"
#include "tensor/value/type.h"

namespace waybill::graph::infer {

// Kinds and element types are known all the way down.
bool IsComplete(const ValueType& type);

// True when the two can not be types of one value: kinds or element types differ where both are
// known. Shapes are not compared.
bool Contradicts(const ValueType& a, const ValueType& b);

// What is certain of a value that may have either shape: equal dimensions stay, others are unknown.
SymShape JoinShapes(const SymShape& a, const SymShape& b);
// What is certain of a value that is either `a` or `b`; where one is not complete, what the other
// says of kinds and element types is taken. The two do not contradict each other.
ValueType JoinTypes(const ValueType& a, const ValueType& b);

// Adds to `type` what it leaves open and `declared` says. `numbers`: sizes of dimensions as well,
// not only their names. The two do not contradict each other.
void FillFromDeclared(ValueType& type, const ValueType& declared, bool numbers);

}  // namespace waybill::graph::infer
