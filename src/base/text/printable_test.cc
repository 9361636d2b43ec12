#include "base/text/printable.h"

#include <gtest/gtest.h>

namespace waybill {
namespace {

using namespace std::string_literals;

TEST(Printable, TextStays) {
  for (const std::string& text :
       {""s, "plain (Conv-11) 'x' \\ \"y\""s, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xC2\xA0"s,
        "\xF4\x8F\xBF\xBF"s, std::string(200, 'a')}) {
    EXPECT_EQ(PrintableName(text), text);
    EXPECT_EQ(PrintableMessage(text), text);
    EXPECT_TRUE(IsPrintableMessage(text)) << text;
  }
}

TEST(Printable, ControlsAndBrokenUtf8AreEscaped) {
  const std::pair<std::string, std::string> cases[] = {
      {"a\0b"s, "a\\x00b"},
      {"\x1b[31mred\n", "\\x1b[31mred\\n"},
      {"\t\r\x7f", "\\t\\x0d\\x7f"},
      {"\xC2\x9B", "\\xc2\\x9b"},
      {"\xC3", "\\xc3"},
      {"\xC3(", "\\xc3("},
      {"\xC0\x80", "\\xc0\\x80"},
      {"\xED\xA0\x80", "\\xed\\xa0\\x80"},
      {"\x80", "\\x80"},
      {"\xF5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
      {"\xE0\x80\x80", "\\xe0\\x80\\x80"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(PrintableName(text), expected);
    EXPECT_EQ(PrintableMessage(text), expected);
    EXPECT_FALSE(IsPrintableMessage(text)) << expected;
  }
}

TEST(Printable, MessagesKeepTheirOwnLines) {
  EXPECT_EQ(PrintableMessage("a\n b\nc\n"), "a\n b\\nc\\n");
  EXPECT_TRUE(IsPrintableMessage("a\n b"));
  EXPECT_EQ(PrintableName("a\n b"), "a\\n b");
}

TEST(Printable, LongTextLosesItsMiddle) {
  const std::string name = "begin" + std::string(100000, 'x') + "end";
  const std::string shown = PrintableName(name);
  EXPECT_EQ(shown.size(), kMaxNameBytes + 3);
  EXPECT_EQ(shown.rfind("begin", 0), 0u);
  EXPECT_EQ(shown.substr(shown.size() - 3), "end");
  EXPECT_NE(shown.find("..."), std::string::npos);
  EXPECT_EQ(PrintableMessage(name).size(), kMaxMessageBytes + 3);
  EXPECT_FALSE(IsPrintableMessage(name));
  // Characters stay whole wherever the cuts fall.
  for (size_t shift = 0; shift < 4; ++shift) {
    std::string wide(shift, 'a');
    while (wide.size() < 1000) wide += "\xF0\x9F\x98\x80";
    EXPECT_EQ(PrintableName(wide).find("\\x"), std::string::npos) << shift;
  }
}

}  // namespace
}  // namespace waybill
