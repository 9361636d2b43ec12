#include "tests/tools/json_schema.h"

#include <algorithm>

namespace waybill::tools_test {
namespace {

using Json = nlohmann::json;

bool IsOfType(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  return type == "null" && value.is_null();
}

std::string CheckType(const Json& value, const Json& types) {
  const Json all = types.is_array() ? types : Json::array({types});
  for (const Json& type : all) {
    if (IsOfType(value, type.get<std::string>())) return "";
  }
  return ": is " + std::string(value.type_name()) + ", not " + types.dump();
}

std::string CheckMembers(const Json& value, const Json& schema, const Json& root,
                         const std::string& path) {
  for (const Json& name : schema.value("required", Json::array())) {
    if (!value.contains(name)) return path + ": lacks " + name.dump();
  }
  const Json known = schema.value("properties", Json::object());
  for (const auto& [name, member] : value.items()) {
    if (!known.contains(name)) {
      if (schema.value("additionalProperties", true)) continue;
      return path + ": has an unknown \"" + name + "\"";
    }
    std::string wrong = CheckSchema(member, known[name], root, path + "/" + name);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

std::string CheckSchema(const Json& value, const Json& schema, const Json& root,
                        const std::string& path) {
  for (const auto& [keyword, rule] : schema.items()) {
    std::string wrong;
    if (keyword == "$ref") {
      wrong = CheckSchema(value, root.at(Json::json_pointer(rule.get<std::string>().substr(1))),
                          root, path);
      if (!wrong.empty()) return wrong;
    } else if (keyword == "type") {
      wrong = CheckType(value, rule);
    } else if (keyword == "enum") {
      const bool found = std::find(rule.begin(), rule.end(), value) != rule.end();
      if (!found) wrong = ": " + value.dump() + " is none of " + rule.dump();
    } else if (keyword == "minimum") {
      if (value.is_number() && value < rule) wrong = ": " + value.dump() + " is too small";
    } else if (keyword == "items") {
      for (size_t i = 0; i < value.size() && value.is_array(); ++i) {
        std::string one = CheckSchema(value[i], rule, root, path + "/" + std::to_string(i));
        if (!one.empty()) return one;
      }
    } else if (keyword == "anyOf") {
      const bool any = std::any_of(rule.begin(), rule.end(), [&](const Json& one) {
        return CheckSchema(value, one, root, path).empty();
      });
      if (!any) wrong = ": fits none of " + std::to_string(rule.size()) + " forms";
    } else if (keyword == "properties") {
      std::string one = CheckMembers(value, schema, root, path);
      if (!one.empty()) return one;
    } else if (keyword != "required" && keyword != "additionalProperties" &&
               keyword != "description" && keyword != "title" && keyword != "$schema" &&
               keyword != "$defs") {
      wrong = ": the schema has an unknown keyword " + keyword;
    }
    if (!wrong.empty()) return path + wrong;
  }
  return "";
}

}  // namespace waybill::tools_test
