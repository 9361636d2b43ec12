// Checks JSON documents against the schemas in docs/schemas.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace waybill::tools_test {

// What is wrong with `value`, or an empty text. `schema` is (a part of) the schema document `root`,
// to which "$ref" refers. A keyword that is not known here is an error too, so that nothing goes
// unchecked.
std::string CheckSchema(const nlohmann::json& value, const nlohmann::json& schema,
                        const nlohmann::json& root, const std::string& path = "");

}  // namespace waybill::tools_test
