// Schemas of the operators that rewrites make, for files that hold them.
#pragma once

#include <span>

#include "graph/schema/schema.h"

namespace waybill::graph::schema {

// Of domain "waybill", sorted by name. Attributes have no defaults: files that were written here
// have all that count.
std::span<const OpSchema> InternalSchemas();

}  // namespace waybill::graph::schema
