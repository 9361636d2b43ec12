// StringConcat, StringSplit, StringNormalizer, TfIdfVectorizer.
#include "kernel/reference/tensor/utf8_case.h"
#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

using Strings = std::vector<std::string>;

TEST(StringConcat, Broadcasts) {
  OpCase("StringConcat", 20)
      .In<std::string>({2, 1}, {"a", "b"})
      .In<std::string>({2}, {".x", ""})
      .Expect<std::string>({2, 2}, {"a.x", "a", "b.x", "b"})
      .Run();
  OpCase("StringConcat", 20)
      .In<std::string>({0}, {})
      .In<std::string>({}, {"x"})
      .Expect<std::string>({0}, {})
      .Run();
}

void Splits(const char* text, OpCase& c, const Strings& parts) {
  const auto count = static_cast<int64_t>(parts.size());
  c.In<std::string>({1}, {text})
      .Expect<std::string>({1, count}, parts)
      .Expect<int64_t>({1}, {count})
      .Run();
}

TEST(StringSplit, DelimiterOrWhitespace) {
  OpCase comma("StringSplit", 20);
  Splits("a,,b,", comma.Attr("delimiter", ","), {"a", "", "b", ""});
  OpCase space("StringSplit", 20);
  Splits("  hello \t world\n", space, {"hello", "world"});
  OpCase empty("StringSplit", 20);
  Splits("a b", empty.Attr("delimiter", ""), {"a", "b"});
  OpCase limited("StringSplit", 20);
  Splits("a-b-c", limited.Attr("delimiter", "-").Attr("maxsplit", 1), {"a", "b-c"});
  OpCase words("StringSplit", 20);
  Splits(" a  b c ", words.Attr("maxsplit", 1), {"a", "b c"});
  OpCase blank("StringSplit", 20);
  Splits("  ", blank, {});
}

TEST(StringSplit, PadsToTheLongest) {
  OpCase("StringSplit", 20)
      .In<std::string>({2}, {"a b", "c"})
      .Expect<std::string>({2, 2}, {"a", "b", "c", ""})
      .Expect<int64_t>({2}, {2, 1})
      .Run();
  OpCase("StringSplit", 20)
      .In<std::string>({0}, {})
      .Expect<std::string>({0, 0}, {})
      .Expect<int64_t>({0}, {})
      .Run();
}

TEST(StringNormalizer, StopwordsAndCase) {
  OpCase("StringNormalizer", 10)
      .In<std::string>({3}, {"Monday", "tuesday", "Friday"})
      .Attr("case_change_action", "UPPER")
      .Attr("is_case_sensitive", 1)
      .Attr("stopwords", Strings{"monday", "tuesday"})
      .Expect<std::string>({2}, {"MONDAY", "FRIDAY"})
      .Run();
  OpCase("StringNormalizer", 10)
      .In<std::string>({1, 2}, {"Monday", "b"})
      .Attr("stopwords", Strings{"monday"})
      .Expect<std::string>({1, 1}, {"b"})
      .Run();
  OpCase("StringNormalizer", 10)
      .In<std::string>({1}, {"a"})
      .Attr("stopwords", Strings{"a"})
      .Expect<std::string>({1}, {""})
      .Run();
  OpCase("StringNormalizer", 10).In<std::string>({0}, {}).Expect<std::string>({1}, {""}).Run();
  OpCase("StringNormalizer", 10)
      .In<std::string>({2}, {"ÄÖß", "Привет"})
      .Attr("case_change_action", "LOWER")
      .Expect<std::string>({2}, {"äöß", "привет"})
      .Run();
  OpCase("StringNormalizer", 10)
      .In<std::string>({2, 1}, {"a", "b"})
      .Out(DType::kString)
      .Fails(Code::kInvalidArgument, "[2, 1]");
}

TEST(StringNormalizer, LocalesWithOtherCasePairsAreRefused) {
  for (const char* locale : {"tr_TR", "tr", "az-Latn-AZ", "lt_LT.UTF-8"}) {
    OpCase("StringNormalizer", 10)
        .In<std::string>({1}, {"I"})
        .Attr("case_change_action", "LOWER")
        .Attr("locale", locale)
        .Out(DType::kString)
        .Fails(Code::kNotImplemented, std::string("locale ") + locale);
  }
  for (const char* locale : {"", "C", "en_US", "de_DE.UTF-8", "trv_TW"}) {
    OpCase("StringNormalizer", 10)
        .In<std::string>({1}, {"I"})
        .Attr("case_change_action", "LOWER")
        .Attr("locale", locale)
        .Expect<std::string>({1}, {"i"})
        .Run();
  }
}

TEST(Utf8Case, LeavesWhatItDoesNotKnow) {
  EXPECT_EQ(reference::Utf8Upper("aé日\xff\xc3"), "AÉ日\xff\xc3");
  EXPECT_EQ(reference::Utf8Lower("×÷"), "×÷");
  EXPECT_EQ(reference::Utf8Upper("÷ÿ"), "÷Ÿ");
}

OpCase& Pool(OpCase& c, const char* mode, int64_t skip) {
  return c.Attr("mode", mode)
      .Attr("min_gram_length", 1)
      .Attr("max_gram_length", 2)
      .Attr("max_skip_count", skip)
      .Ints("ngram_counts", {0, 4})
      .Ints("ngram_indexes", {0, 1, 2, 3, 4, 5, 6})
      .Ints("pool_int64s", {2, 3, 5, 4, 5, 6, 7, 8, 6, 7});
}

TEST(TfIdfVectorizer, CountsWithSkips) {
  const std::vector<int32_t> tokens{1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8};
  OpCase plain("TfIdfVectorizer", 9);
  Pool(plain, "TF", 0).In<int32_t>({12}, tokens);
  plain.Expect<float>({7}, {0, 3, 1, 0, 1, 1, 1}).Run();
  OpCase skipping("TfIdfVectorizer", 9);
  Pool(skipping, "TF", 5).In<int32_t>({12}, tokens);
  skipping.Expect<float>({7}, {0, 3, 1, 0, 1, 3, 1}).Run();
  OpCase rows("TfIdfVectorizer", 9);
  Pool(rows, "TF", 0).In<int64_t>({2, 2}, {5, 6, 7, 8});
  rows.Expect<float>({2, 7}, {0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0}).Run();
  OpCase none("TfIdfVectorizer", 9);
  Pool(none, "TF", 0).In<int64_t>({0}, {}).Expect<float>({7}, {0, 0, 0, 0, 0, 0, 0}).Run();
}

TEST(TfIdfVectorizer, WeightsAndStrings) {
  const auto make = [](OpCase& c, const char* mode) {
    c.In<std::string>({4}, {"b", "a", "b", "c"})
        .Attr("mode", mode)
        .Attr("min_gram_length", 1)
        .Attr("max_gram_length", 1)
        .Attr("max_skip_count", 0)
        .Ints("ngram_counts", {0})
        .Ints("ngram_indexes", {1, 0})
        .Attr("pool_strings", Strings{"b", "c"})
        .Floats("weights", {2, 3});
  };
  OpCase idf("TfIdfVectorizer", 9);
  make(idf, "IDF");
  idf.Expect<float>({2}, {3, 2}).Run();
  OpCase tfidf("TfIdfVectorizer", 9);
  make(tfidf, "TFIDF");
  tfidf.Expect<float>({2}, {3, 4}).Run();
  OpCase bad("TfIdfVectorizer", 9);
  make(bad, "TF");
  bad.Ints("ngram_counts", {3}).Out(DType::kF32).Fails(Code::kInvalidArgument, "ngram_counts");
}

TEST(RegexFullMatch, SaysThatThereIsNoKernel) {
  OpCase("RegexFullMatch", 20)
      .In<std::string>({1}, {"a"})
      .Attr("pattern", "a")
      .Out(DType::kBool)
      .Fails(Code::kNotImplemented, "RegexFullMatch");
}

}  // namespace
}  // namespace waybill::kernel
