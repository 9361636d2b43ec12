// What a fixed set of models takes, so that a change that makes it more is seen.
#include "tests/pains/alone.h"
#include "tests/pains/loaded.h"
#include "tests/pains/models.h"
#include "tests/support/process.h"

namespace waybill::pains {
namespace {

struct Recorded {
  const char* name;
  std::string model;
  std::vector<int64_t> shape;
  size_t kib;  // as measured; lower it when a change makes it less
};

// The most that loading and three runs make resident, output included, above what was there before.
size_t PeakKib(const Recorded& recorded) {
  const test::ChildResult child = test::InChild([&] {
    int64_t elems = 1;
    for (const int64_t dim : recorded.shape) elems *= dim;
    std::vector<float> data(static_cast<size_t>(elems), 0.5f);
    const Owned<OrtValue> x = Wrap(data, kFloats, recorded.shape);
    const Owned<OrtEnv> env = api_test::NewEnv();
    const Owned<OrtSessionOptions> options = OptionsWith(1);
    WarmUp(recorded.model, {x.get()});  // the library's own pages are not the model's
    test::ResetPeak();
    const size_t before = test::ResidentBytes();
    const Owned<OrtSession> session =
        api_test::NewSession(env.get(), recorded.model, options.get());
    for (int i = 0; i < 3; ++i) {
      if (RunOne(session.get(), "x", x.get(), "y") == nullptr) return 2;
    }
    const size_t peak = test::PeakResidentBytes();
    std::printf("%zu", (peak - std::min(peak, before)) / 1024);
    return 0;
  });
  EXPECT_EQ(child.exit_code, 0) << child.output;
  return child.exit_code == 0 ? std::stoull(child.output) : 0;
}

TEST(Row13, PeaksStayWithinTenPercentOfWhatTheyWere) {
  WAYBILL_MEASURES_ALONE();
  const Recorded all[] = {
      {"image, wide in the middle", ConvModel(4, 32, 256), {1, 4, 256, 256}, 10360},
      {"image, many channels", ConvModel(64, 64, 64), {1, 64, 64, 64}, 4328},
      {"rows", PerceptronModel(256, 1024), {1, 512, 256}, 4644},
      {"loop", LoopModel(10, 512), {512, 512}, 3088},
  };
  for (const Recorded& recorded : all) {
    EXPECT_LE(PeakKib(recorded), recorded.kib * 11 / 10) << recorded.name;
  }
}

}  // namespace
}  // namespace waybill::pains
