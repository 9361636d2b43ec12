#include "session/load/model_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <thread>

#include "memory/source/hub.h"
#include "tests/support/session_fixture.h"
#include "tests/support/temp_dir.h"

namespace waybill::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Loaded = std::shared_ptr<Session>;

// y = x + b, over [n, 2]
onnx::ModelWriter AddModel(const onnx::TensorWriter& b) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  model.graph().Input("x", onnx::kFloat, {"n", 2});
  model.graph().Initializer(b);
  model.graph().Node("Add", {"x", "b"}, {"y"}).Name("/add");
  model.graph().Output("y", onnx::kFloat, {"n", 2});
  return model;
}

onnx::ModelWriter AddModel(float first = 1) {
  return AddModel(onnx::TensorWriter::Of<float>("b", {2}, {first, 2}));
}

class ModelStoreTest : public SessionTest {
 protected:
  Loaded LoadFile(const std::string& path, const SessionOptions& options = ReferenceOptions()) {
    auto session = Session::LoadFile(env_, path, options);
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    return session.ok() ? *session : nullptr;
  }
  static bool Share(const Loaded& a, const Loaded& b) { return &a->model() == &b->model(); }
  static std::vector<float> Add(const Loaded& session) {
    std::vector<Value> out;
    const Status status = Run(*session, {"x"}, {Floats({1, 2}, {10, 20})}, {"y"}, out);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return status.ok() ? AsFloats(out[0]) : std::vector<float>();
  }
  uint64_t Use(uint64_t MemoryUse::*what) const {
    uint64_t sum = 0;
    for (const DeviceUse& use : env_->hub().ledger->Snapshot()) sum += use.total.*what;
    return sum;
  }

  test::TempDir dir_;
};

TEST_F(ModelStoreTest, ASecondSessionOnAFileTakesNoTensorBytesAndSpendsNoTimeOnPhases) {
  const std::string path = dir_.Write("m.onnx", AddModel().bytes());
  const Loaded first = LoadFile(path);
  const uint64_t takes = Use(&MemoryUse::takes);
  const Loaded second = LoadFile(path);
  EXPECT_TRUE(Share(first, second));
  EXPECT_EQ(Use(&MemoryUse::takes), takes);
  EXPECT_FALSE(first->load_report().shared);
  EXPECT_GT(first->load_report().import_ns, 0);
  EXPECT_TRUE(second->load_report().shared);
  EXPECT_EQ(second->load_report().import_ns, 0);
  EXPECT_EQ(second->load_report().pack_ns, 0);
  EXPECT_GT(second->load_report().total_ns, 0);
  EXPECT_THAT(Add(second), ElementsAre(11, 22));
}

TEST_F(ModelStoreTest, APathIsTheSameHoweverItIsSpelled) {
  const std::string path = dir_.Write("m.onnx", AddModel().bytes());
  std::filesystem::create_directory(dir_ / "sub");
  const Loaded first = LoadFile(path);
  EXPECT_TRUE(Share(first, LoadFile(dir_ / "sub/../m.onnx")));
}

TEST_F(ModelStoreTest, ModelsFromBytesAreSharedByContents) {
  const Loaded first = MustLoad(AddModel());
  EXPECT_TRUE(Share(first, MustLoad(AddModel())));
  const Loaded other = MustLoad(AddModel(5));
  EXPECT_FALSE(Share(first, other));
  EXPECT_THAT(Add(other), ElementsAre(15, 22));
  // Bytes that are used in place are the caller's own: others may go first.
  const std::string bytes = AddModel().bytes();
  const auto kept =
      Session::LoadBytes(env_, std::as_bytes(std::span(bytes)), true, ReferenceOptions());
  EXPECT_FALSE(Share(first, *kept));
}

TEST_F(ModelStoreTest, WhatIsOneSessionsOwnDoesNotPart) {
  SessionOptions options = ReferenceOptions();
  options.intra_op_threads = 1;
  options.log_id = "me";
  options.severity = Severity::kError;
  options.config["waybill.prewarm"] = "x:[1,2]";
  const Loaded first = MustLoad(AddModel());
  EXPECT_TRUE(Share(first, MustLoad(AddModel(), options)));
}

TEST_F(ModelStoreTest, WhatDecidesLoadingParts) {
  const Loaded first = MustLoad(AddModel());
  const std::function<void(SessionOptions&)> changes[] = {
      [](SessionOptions& o) { o.level = OptLevel::kNone; },
      [](SessionOptions& o) { o.denormals_as_zero = true; },
      [](SessionOptions& o) { o.config["waybill.stop_after_patch"] = "0"; },
      [](SessionOptions& o) { o.config["waybill.fold_limit_bytes"] = "1"; },
      [](SessionOptions& o) {
        o.free_dims_by_name = {{"n", 1}};
      },
      [](SessionOptions& o) {
        o.initializers.emplace_back("b", Floats({2}, {1, 2}));
      },
      [](SessionOptions& o) {
        o.external_initializers.emplace_back("b", Floats({2}, {1, 2}));
      },
      [](SessionOptions& o) { o.providers[0].name = "OtherProvider"; },
  };
  std::vector<Loaded> sessions = {first};
  for (const auto& change : changes) {
    SessionOptions options = ReferenceOptions();
    change(options);
    const Loaded other = MustLoad(AddModel(), options);
    for (const Loaded& session : sessions) EXPECT_FALSE(Share(session, other)) << sessions.size();
    EXPECT_TRUE(Share(other, MustLoad(AddModel(), options))) << sessions.size();
    sessions.push_back(other);
  }
}

TEST_F(ModelStoreTest, InitializersOfTheCallerAreToldApartByAddressAndContents) {
  SessionOptions options = ReferenceOptions();
  const Value mine = Floats({2}, {3, 4});
  options.initializers.emplace_back("b", mine);
  const Loaded first = MustLoad(AddModel(), options);
  EXPECT_TRUE(Share(first, MustLoad(AddModel(), options)));
  mine.tensor()->span<float>()[0] = 7;
  const Loaded changed = MustLoad(AddModel(), options);
  EXPECT_FALSE(Share(first, changed));
  EXPECT_THAT(Add(changed), ElementsAre(17, 24));
}

TEST_F(ModelStoreTest, AFileThatChangedIsLoadedAnew) {
  const std::string path = dir_.Write("m.onnx", AddModel(1).bytes());
  SessionOptions options = ReferenceOptions();
  options.config["waybill.read_model"] = "1";  // a mapping would change with the file
  std::vector<Loaded> sessions;
  // Same file, same size, and mostly the same tick of the file system's clock.
  for (int i = 1; i < 20; ++i) {
    test::WriteFile(path, AddModel(static_cast<float>(i)).bytes());
    sessions.push_back(LoadFile(path, options));
    EXPECT_THAT(Add(sessions.back()), ElementsAre(10 + i, 22));
    EXPECT_TRUE(Share(sessions.back(), LoadFile(path, options)));
  }
  EXPECT_THAT(Add(sessions.front()), ElementsAre(11, 22));
}

TEST_F(ModelStoreTest, ExternalDataThatChangedIsLoadedAnew) {
  const float numbers[][2] = {{1, 2}, {3, 4}};
  const auto bytes = [&](int i) {
    return std::string(reinterpret_cast<const char*>(numbers[i]), sizeof(numbers[i]));
  };
  dir_.Write("w.bin", bytes(0));
  onnx::TensorWriter b("b", onnx::kFloat, {2});
  b.External("w.bin", 0, 8);
  const std::string path = dir_.Write("m.onnx", AddModel(b).bytes());
  const Loaded first = LoadFile(path);
  EXPECT_TRUE(Share(first, LoadFile(path)));
  std::filesystem::rename(dir_.Write("new.bin", bytes(1)), dir_ / "w.bin");
  const Loaded second = LoadFile(path);
  EXPECT_FALSE(Share(first, second));
  EXPECT_THAT(Add(first), ElementsAre(11, 22));
  EXPECT_THAT(Add(second), ElementsAre(13, 24));
  EXPECT_TRUE(Share(second, LoadFile(path)));
  std::filesystem::remove(dir_ / "w.bin");
  EXPECT_EQ(Session::LoadFile(env_, path, ReferenceOptions()).status().code(), Code::kNoSuchFile);
}

// Row 33 of the pains of users: the cache of a model hub holds links only.
TEST_F(ModelStoreTest, ModelsBehindLinksAreShared) {
  const float numbers[] = {1, 2};
  dir_.Write("blobs/h2", {reinterpret_cast<const char*>(numbers), sizeof(numbers)});
  onnx::TensorWriter b("b", onnx::kFloat, {2});
  b.External("w.bin", 0, 8);
  dir_.Write("blobs/h1", AddModel(b).bytes());
  std::filesystem::create_directory(dir_ / "snap");
  std::filesystem::create_symlink("../blobs/h1", dir_ / "snap/m.onnx");
  std::filesystem::create_symlink("../blobs/h2", dir_ / "snap/w.bin");
  const Loaded first = LoadFile(dir_ / "snap/m.onnx");
  EXPECT_THAT(Add(first), ElementsAre(11, 22));
  EXPECT_TRUE(Share(first, LoadFile(dir_ / "snap/m.onnx")));
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir_.path());
  EXPECT_TRUE(Share(first, LoadFile("snap/m.onnx")));
  std::filesystem::current_path(before);
}

TEST_F(ModelStoreTest, ExternalFilesFromMemoryAreCopiedOnceOrUsedInPlace) {
  onnx::TensorWriter b("b", onnx::kFloat, {2});
  b.External("w.bin", 0, 8);
  std::vector<float> numbers = {1, 2};
  SessionOptions options = ReferenceOptions();
  options.external_files = {
      {"w.bin", reinterpret_cast<const std::byte*>(numbers.data()), 8, /*keep=*/false}};
  const Loaded first = MustLoad(AddModel(b), options);
  std::vector<float> others = {1, 2};
  options.external_files[0].data = reinterpret_cast<const std::byte*>(others.data());
  EXPECT_TRUE(Share(first, MustLoad(AddModel(b), options)));
  numbers = {5, 6};
  EXPECT_THAT(Add(first), ElementsAre(11, 22));
  options.external_files[0].data = reinterpret_cast<const std::byte*>(numbers.data());
  EXPECT_THAT(Add(MustLoad(AddModel(b), options)), ElementsAre(15, 26));
  options.external_files[0].keep = true;
  EXPECT_THAT(Add(MustLoad(AddModel(b), options)), ElementsAre(15, 26));
}

TEST_F(ModelStoreTest, SixteenThreadsAtOnceLoadOnce) {
  const std::string path = dir_.Write("m.onnx", AddModel().bytes());
  std::vector<Loaded> sessions(16);
  std::vector<std::thread> threads;
  for (Loaded& session : sessions) {
    threads.emplace_back([&] { session = LoadFile(path); });
  }
  for (std::thread& thread : threads) thread.join();
  int loads = 0;
  for (const Loaded& session : sessions) {
    loads += session->load_report().shared ? 0 : 1;
    EXPECT_TRUE(Share(session, sessions[0]));
  }
  EXPECT_EQ(loads, 1);
  EXPECT_EQ(env_->models().Live().size(), 1u);
}

TEST_F(ModelStoreTest, EachCallerGetsTheErrorOfABadModel) {
  const std::string path = dir_.Write("m.onnx", "not a model");
  std::vector<Status> statuses(16);
  std::vector<std::thread> threads;
  for (Status& status : statuses) {
    threads.emplace_back(
        [&] { status = Session::LoadFile(env_, path, ReferenceOptions()).status(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Status& status : statuses) EXPECT_THAT(status.message(), HasSubstr("m.onnx"));
  EXPECT_TRUE(env_->models().Live().empty());
}

TEST_F(ModelStoreTest, SessionsComeAndGoOnManyThreads) {
  const std::string path = dir_.Write("m.onnx", AddModel().bytes());
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        SessionOptions options = ReferenceOptions();
        options.level = (i + t) % 2 == 0 ? OptLevel::kNone : OptLevel::kAll;
        EXPECT_THAT(Add(LoadFile(path, options)), ElementsAre(11, 22));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(env_->models().Live().empty());
  env_->Trim();
  EXPECT_EQ(Use(&MemoryUse::bytes_in_use), 0u);
}

TEST_F(ModelStoreTest, EveryOrderOfDroppingIsSafe) {
  const std::string path = dir_.Write("m.onnx", AddModel().bytes());
  for (int order = 0; order < 6; ++order) {
    std::shared_ptr<Env> env = *Env::Create({});
    const auto ledger = env->hub().ledger;
    auto first = *Session::LoadFile(env, path, ReferenceOptions());
    auto second = *Session::LoadFile(env, path, ReferenceOptions());
    ASSERT_TRUE(Share(first, second));
    const std::function<void()> drops[] = {[&] { env.reset(); }, [&] { first.reset(); },
                                           [&] { second.reset(); }};
    const int at = order / 2, next = (at + 1 + order % 2) % 3;
    drops[at]();
    if (second != nullptr) {
      EXPECT_THAT(Add(second), ElementsAre(11, 22));
    }
    drops[next]();
    drops[3 - at - next]();
    EXPECT_EQ(ledger->Snapshot()[0].total.bytes_in_use, 0u) << order;
  }
}

TEST_F(ModelStoreTest, EverySessionLogsItsWarnings) {
  onnx::ModelWriter model = AddModel();
  SessionOptions options = ReferenceOptions();
  options.free_dims_by_denotation = {{"NOBODY", 3}};
  const Loaded first = MustLoad(model, options);
  const std::string once = log_;
  EXPECT_THAT(once, HasSubstr("NOBODY"));
  const Loaded second = MustLoad(model, options);
  EXPECT_TRUE(Share(first, second));
  EXPECT_EQ(log_, once + once);
}

TEST_F(ModelStoreTest, EverySessionSavesItsOptimisedModel) {
  const std::string path = dir_.Write("m.onnx", AddModel().bytes());
  const Loaded plain = LoadFile(path);
  SessionOptions options = ReferenceOptions();
  for (const char* name : {"a.onnx", "b.onnx"}) {
    options.optimized_model_path = dir_ / name;
    const Loaded session = LoadFile(path, options);
    EXPECT_FALSE(Share(plain, session));
    EXPECT_TRUE(std::filesystem::exists(dir_ / name));
    EXPECT_THAT(Add(LoadFile(dir_ / name)), ElementsAre(11, 22));
  }
}

TEST_F(ModelStoreTest, ProfilesAndPlansAreEachSessionsOwn) {
  const Loaded first = MustLoad(AddModel()), second = MustLoad(AddModel());
  first->SetProfiling(true);
  Add(second);
  EXPECT_THAT(first->ProfileJson(), HasSubstr("\"runs\":0"));
  Add(first);
  EXPECT_THAT(first->ProfileJson(), HasSubstr("\"runs\":1"));
  EXPECT_TRUE(second->PlanFor({}, {}).ok());
  // The third one never ran, so it has no shapes to plan with.
  EXPECT_FALSE(MustLoad(AddModel())->PlanFor({}, {}).ok());
}

// y = x + b over many elements; b is 8 KiB.
onnx::ModelWriter ManyModel(float with) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  model.graph().Input("x", onnx::kFloat, {2048});
  model.graph().Initializer(
      onnx::TensorWriter::Of<float>("b", {2048}, std::vector<float>(2048, with)));
  model.graph().Node("Add", {"x", "b"}, {"y"});
  model.graph().Output("y", onnx::kFloat, {2048});
  return model;
}

TEST_F(ModelStoreTest, UseTellsSessionsBytesAndWhatSharingSaves) {
  SessionOptions alone = ReferenceOptions();
  alone.optimized_model_path = dir_ / "saved.onnx";
  const Loaded first = MustLoad(ManyModel(1)), second = MustLoad(ManyModel(1));
  (void)MustLoad(ManyModel(1));
  const Loaded other = MustLoad(ManyModel(1), alone);
  const std::vector<ModelUse> uses = ModelUses(*env_);
  ASSERT_EQ(uses.size(), 2u);
  const size_t shared = uses[0].why_alone.empty() ? 0 : 1;
  EXPECT_EQ(uses[shared].model, "bytes");
  EXPECT_EQ(uses[shared].sessions_live, 2u);
  EXPECT_EQ(uses[shared].sessions_created, 3u);
  const uint64_t held =
      uses[shared].bytes.read + uses[shared].bytes.placed + uses[shared].bytes.packed;
  EXPECT_GE(held, 2048 * sizeof(float));
  EXPECT_EQ(uses[shared].saved, held + uses[shared].bytes.shared);
  EXPECT_EQ(uses[1 - shared].sessions_live, 1u);
  EXPECT_EQ(uses[1 - shared].why_alone, "its optimised model is saved");
}

TEST_F(ModelStoreTest, UseNamesInitializersOfTheCaller) {
  SessionOptions options = ReferenceOptions();
  options.initializers.emplace_back("b", Floats({2048}, std::vector<float>(2048, 3)));
  const Loaded session = MustLoad(ManyModel(1), options);
  const std::vector<ModelUse> uses = ModelUses(*env_);
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].bytes.caller, 2048 * sizeof(float));
  ASSERT_EQ(uses[0].not_shared.size(), 1u);
  EXPECT_EQ(uses[0].not_shared[0].first, "b");
}

// One byte off its type's alignment it can not be used in place.
TEST_F(ModelStoreTest, UseNamesInitializersOfTheCallerThatAreCopied) {
  std::vector<float> numbers(2049, 3);
  auto* const odd = reinterpret_cast<std::byte*>(numbers.data()) + 1;
  const float three = 3;
  for (size_t i = 0; i < 2048; ++i) std::memcpy(odd + 4 * i, &three, 4);
  SessionOptions options = ReferenceOptions();
  options.initializers.emplace_back(
      "b", Value(*Tensor::Wrap(DType::kF32, {2048}, SharedView::Unowned({odd, 8192, {}}))));
  const Loaded session = MustLoad(ManyModel(1), options);
  const std::vector<ModelUse> uses = ModelUses(*env_);
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].bytes.caller, 0u);
  EXPECT_EQ(uses[0].caller_packed, 2048 * sizeof(float));
  ASSERT_EQ(uses[0].not_shared.size(), 1u) << uses[0].not_shared[1].first;
  EXPECT_EQ(uses[0].not_shared[0].first, "b");
  EXPECT_NE(uses[0].not_shared[0].second.find("not aligned"), std::string::npos);
}

// A model that is read is a copy of the file; what lies aligned in it is used there.
TEST_F(ModelStoreTest, UseNamesInitializersInCopies) {
  SessionOptions options = ReferenceOptions();
  options.config["waybill.read_model"] = "1";
  size_t aligned = 0;
  for (size_t i = 0; i < sizeof(float); ++i) {
    const std::string b = "b" + std::string(i, '_');
    onnx::ModelWriter model;
    model.Opset("", 17);
    model.graph().Input("x", onnx::kFloat, {2048});
    model.graph().Initializer(
        onnx::TensorWriter::Of<float>(b, {2048}, std::vector<float>(2048, 1)));
    model.graph().Node("Add", {"x", b}, {"y"});
    model.graph().Output("y", onnx::kFloat, {2048});
    const Loaded session = LoadFile(dir_.Write("m.onnx", model.bytes()), options);
    const std::vector<ModelUse> uses = ModelUses(*env_);
    ASSERT_EQ(uses.size(), 1u);
    if (uses[0].bytes.read == 0) continue;
    ++aligned;
    EXPECT_EQ(uses[0].bytes.read, 2048 * sizeof(float));
    ASSERT_EQ(uses[0].not_shared.size(), 1u);
    EXPECT_EQ(uses[0].not_shared[0].first, b);
    EXPECT_NE(uses[0].not_shared[0].second.find("copy"), std::string::npos);
  }
  EXPECT_GT(aligned, 0u);
}

TEST_F(ModelStoreTest, InitializersAreUsedInPlaceAndKeptAlive) {
  Tensor mine = *Floats({2048}, std::vector<float>(2048, 3)).tensor();
  const std::weak_ptr<const void> owner = mine.storage().owner();
  const uint64_t before = Use(&MemoryUse::bytes_in_use);
  SessionOptions options = ReferenceOptions();
  options.initializers.emplace_back("b", Value(mine));
  Loaded session = MustLoad(ManyModel(1), options);
  EXPECT_LT(Use(&MemoryUse::bytes_in_use) - before, 2 * 2048 * sizeof(float));  // the model's bytes
  options = ReferenceOptions();
  mine = Tensor();
  EXPECT_FALSE(owner.expired());
  std::vector<Value> out;
  ASSERT_TRUE(Run(*session, {"x"}, {Floats({2048}, std::vector<float>(2048, 1))}, {"y"}, out).ok());
  EXPECT_EQ(AsFloats(out[0])[2047], 4);
  session.reset();
  EXPECT_TRUE(owner.expired());
}

}  // namespace
}  // namespace waybill::session
