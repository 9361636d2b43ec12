#include "base/status/status.h"

#include <gtest/gtest.h>

#include "base/status/result.h"

namespace waybill {
namespace {

Status Fails() { return Error(Code::kInvalidArgument, "axis {} of rank {}", 3, 2u); }

Status Outer() {
  WB_RETURN_IF_ERROR(Fails(), "node {} ({})", "/a", "Softmax");
  return Status::Ok();
}

Result<int> Half(int value) {
  if (value % 2) return Error(Code::kFail, "{} is odd", value);
  return value / 2;
}

Result<int> Quarter(int value) {
  WB_ASSIGN_OR_RETURN(const int half, Half(value), "first half");
  WB_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

TEST(Status, CollectsContextOnTheWayUp) {
  const Status status = Outer();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(status.message(), "axis 3 of rank 2 | node /a (Softmax)");
  EXPECT_EQ(status.ToString(), "InvalidArgument: axis 3 of rank 2 | node /a (Softmax)");
}

TEST(Status, ContextOnOkIsNothing) { EXPECT_TRUE(Status::Ok().With("ignored").ok()); }

TEST(Result, CarriesValueOrError) {
  EXPECT_EQ(*Quarter(12), 3);
  EXPECT_EQ(Quarter(7).status().message(), "7 is odd | first half");
  EXPECT_EQ(Quarter(6).status().message(), "3 is odd");
}

TEST(Format, MissingAndSurplusArgumentsLoseNothing) {
  EXPECT_EQ(Format("{} and {}", 1), "1 and {}");
  EXPECT_EQ(Format("only", 2), "only 2");
  EXPECT_EQ(Format("{}", std::vector<int64_t>{1, -2}), "[1, -2]");
  EXPECT_EQ(Format("{} {} {}", 0.5f, true, 'x'), "0.5 true x");
}

}  // namespace
}  // namespace waybill
