#include "memory/weights/once_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>

namespace waybill {
namespace {

using ::testing::HasSubstr;

// Counts those that live.
struct Tracked {
  explicit Tracked(int n) : number(n) { ++live; }
  ~Tracked() { --live; }
  int number;
  static inline std::atomic<int> live{0};
};

using Map = OnceMap<std::string, Tracked, std::hash<std::string>>;

Result<std::unique_ptr<Tracked>> Make(int number) { return std::make_unique<Tracked>(number); }

TEST(OnceMap, AValueIsMadeOnceAndGoesWithItsLastShare) {
  Map map;
  auto first = map.FindOrMake("a", [] { return Make(1); });
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(first->made);
  auto second = map.FindOrMake("a", [] { return Make(2); });
  ASSERT_TRUE(second.ok());
  EXPECT_FALSE(second->made);
  EXPECT_EQ(first->value, second->value);
  auto other = map.FindOrMake("b", [] { return Make(3); });
  EXPECT_EQ(other->value->number, 3);
  EXPECT_EQ(map.Live().size(), 2u);
  first = Error(Code::kFail, "dropped");
  EXPECT_EQ(Tracked::live, 2);
  second = Error(Code::kFail, "dropped");
  EXPECT_EQ(Tracked::live, 1);
  EXPECT_EQ(map.Live().size(), 1u);
  EXPECT_TRUE(map.FindOrMake("a", [] { return Make(4); })->made);
}

TEST(OnceMap, ValuesOutliveTheMap) {
  std::shared_ptr<const Tracked> value;
  {
    Map map;
    value = map.FindOrMake("a", [] { return Make(1); })->value;
  }
  EXPECT_EQ(value->number, 1);
  value.reset();
  EXPECT_EQ(Tracked::live, 0);
}

TEST(OnceMap, OfManyAtOnceOneMakes) {
  Map map;
  std::atomic<int> makes{0};
  std::vector<std::thread> threads;
  std::vector<std::shared_ptr<const Tracked>> values(16);
  for (auto& value : values) {
    threads.emplace_back([&] {
      value = map.FindOrMake("a",
                             [&] {
                               ++makes;
                               std::this_thread::sleep_for(std::chrono::milliseconds(20));
                               return Make(1);
                             })
                  ->value;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(makes, 1);
  for (const auto& value : values) EXPECT_EQ(value, values[0]);
}

TEST(OnceMap, AnotherKeyDoesNotWait) {
  Map map;
  std::promise<void> begun, finish;
  std::thread slow([&] {
    (void)map.FindOrMake("slow", [&] {
      begun.set_value();
      finish.get_future().wait();
      return Make(1);
    });
  });
  begun.get_future().wait();
  EXPECT_EQ(map.FindOrMake("quick", [] { return Make(2); })->value->number, 2);
  finish.set_value();
  slow.join();
}

TEST(OnceMap, WhoWaitedForAFailureTriesItself) {
  Map map;
  std::promise<void> begun, finish;
  Status failed;
  std::thread first([&] {
    failed = map.FindOrMake("a",
                            [&]() -> Result<std::unique_ptr<Tracked>> {
                              begun.set_value();
                              finish.get_future().wait();
                              return Error(Code::kFail, "no luck");
                            })
                 .status();
  });
  begun.get_future().wait();
  std::thread second([&] {
    const auto found = map.FindOrMake("a", [] { return Make(2); });
    ASSERT_TRUE(found.ok());
    EXPECT_TRUE(found->made);
  });
  finish.set_value();
  first.join();
  second.join();
  EXPECT_THAT(failed.message(), HasSubstr("no luck"));
  EXPECT_EQ(Tracked::live, 0);
  EXPECT_TRUE(map.Live().empty());
}

TEST(OnceMap, AnExceptionLetsTheNextOneTry) {
  Map map;
  EXPECT_THROW((void)map.FindOrMake(
                   "a", []() -> Result<std::unique_ptr<Tracked>> { throw std::bad_alloc(); }),
               std::bad_alloc);
  EXPECT_TRUE(map.FindOrMake("a", [] { return Make(1); })->made);
}

TEST(OnceMap, WaitingCanBeCancelled) {
  Map map;
  std::promise<void> begun, finish;
  std::thread slow([&] {
    (void)map.FindOrMake("a", [&] {
      begun.set_value();
      finish.get_future().wait();
      return Make(1);
    });
  });
  begun.get_future().wait();
  std::atomic<bool> cancel{false};
  std::thread canceller([&] { cancel = true; });
  const auto found = map.FindOrMake(
      "a", [] { return Make(2); }, {}, &cancel);
  EXPECT_EQ(found.status().code(), Code::kCancelled);
  canceller.join();
  finish.set_value();
  slow.join();
}

TEST(OnceMap, ARefusedValueIsReplacedForThoseThatCome) {
  Map map;
  const auto old = map.FindOrMake("a", [] { return Make(1); })->value;
  const auto is_new = [](const Tracked& value) { return value.number > 1; };
  const auto found = map.FindOrMake(
      "a", [] { return Make(2); }, is_new);
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->made);
  EXPECT_EQ(map.FindOrMake(
                   "a", [] { return Make(3); }, is_new)
                ->value,
            found->value);
  EXPECT_EQ(old->number, 1);
}

TEST(OnceMap, SharesComeAndGoOnManyThreads) {
  Map map;
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        const std::string key(1, static_cast<char>('a' + (i + t) % 3));
        const auto found = map.FindOrMake(key, [&] { return Make(key[0]); });
        ASSERT_EQ(found->value->number, key[0]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Tracked::live, 0);
  EXPECT_TRUE(map.Live().empty());
}

}  // namespace
}  // namespace waybill
