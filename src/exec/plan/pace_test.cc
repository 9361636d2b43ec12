#include "exec/plan/pace.h"

#include <gtest/gtest.h>

namespace waybill::exec {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// One run that takes so long with threads, so long alone. Returns whether it used threads.
bool RunOnce(Pace& pace, Pace::Duration together, Pace::Duration alone) {
  uint32_t trial = 0;
  const bool use_threads = pace.UseThreads(trial);
  if (trial != Pace::kNoTrial) pace.Finish(trial, use_threads, use_threads ? together : alone);
  return use_threads;
}

int ThreadedRuns(Pace& pace, int runs, Pace::Duration together, Pace::Duration alone) {
  int threaded = 0;
  for (int i = 0; i < runs; ++i) threaded += RunOnce(pace, together, alone);
  return threaded;
}

TEST(Pace, ShortRunsThatGainNothingGoAlone) {
  Pace pace;
  EXPECT_EQ(ThreadedRuns(pace, 8, microseconds(95), microseconds(100)), 4);
  EXPECT_EQ(ThreadedRuns(pace, 500, microseconds(95), microseconds(100)), 0);
}

TEST(Pace, ShortRunsThatGainUseThreads) {
  Pace pace;
  EXPECT_EQ(ThreadedRuns(pace, 8, microseconds(55), microseconds(100)), 4);
  EXPECT_EQ(ThreadedRuns(pace, 500, microseconds(55), microseconds(100)), 500);
}

TEST(Pace, ThePeriodEndsWithNewTrials) {
  Pace pace;
  ThreadedRuns(pace, 1024, microseconds(95), microseconds(100));
  EXPECT_EQ(ThreadedRuns(pace, 8, microseconds(55), microseconds(100)), 4);
  EXPECT_EQ(ThreadedRuns(pace, 500, microseconds(55), microseconds(100)), 500);
}

TEST(Pace, LongRunsAreHardlyTriedAlone) {
  Pace huge;
  EXPECT_EQ(ThreadedRuns(huge, 3000, milliseconds(270), milliseconds(500)), 3000);
  Pace pace;
  EXPECT_EQ(ThreadedRuns(pace, 3, milliseconds(10), milliseconds(18)), 2);
  EXPECT_EQ(ThreadedRuns(pace, 3000, milliseconds(10), milliseconds(18)), 3000);
}

TEST(Pace, ASlowFirstRunDoesNotCount) {
  Pace pace;
  EXPECT_TRUE(RunOnce(pace, milliseconds(30), milliseconds(30)));
  ThreadedRuns(pace, 7, microseconds(95), microseconds(100));
  EXPECT_EQ(ThreadedRuns(pace, 500, microseconds(95), microseconds(100)), 0);
}

}  // namespace
}  // namespace waybill::exec
