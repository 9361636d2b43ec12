#include "base/json/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace waybill {
namespace {

TEST(JsonWriter, CommasAndNesting) {
  JsonWriter json;
  json.BeginObject();
  json.Field("a", 1).Field("b", true).Key("c").BeginArray();
  json.Value("x").Value(2.5).Null().BeginObject().EndObject().BeginArray().EndArray();
  json.EndArray();
  json.Key("d").Raw("[1]").Field("e", size_t{18446744073709551615u});
  json.EndObject();
  EXPECT_EQ(json.text(),
            R"({"a":1,"b":true,"c":["x",2.5,null,{},[]],"d":[1],"e":18446744073709551615})");
}

TEST(JsonWriter, TextIsEscaped) {
  JsonWriter json;
  json.Value(std::string_view("\"\\\n\t\r\x01\0é", 9));
  EXPECT_EQ(json.text(), "\"\\\"\\\\\\n\\t\\r\\u0001\\u0000é\"");
}

TEST(JsonWriter, BrokenUtf8IsReplaced) {
  for (const char* bad : {"\xff", "\x80", "\xc0", "\xe0\x80", "\xed\xa0", "\xf5", "\xc3"}) {
    JsonWriter json;
    json.Value(bad);
    EXPECT_EQ(json.text().find(bad), std::string::npos);
    EXPECT_NE(json.text().find("\xEF\xBF\xBD"), std::string::npos);
  }
}

TEST(JsonWriter, NumbersWithoutTextAreNull) {
  JsonWriter json;
  json.BeginArray();
  json.Value(std::numeric_limits<double>::infinity()).Value(std::nan(""));
  json.EndArray();
  EXPECT_EQ(json.text(), "[null,null]");
}

}  // namespace
}  // namespace waybill
