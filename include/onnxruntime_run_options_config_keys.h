// SPDX-License-Identifier: Apache-2.0
// Names of run config entries (AddRunConfigEntry).
#pragma once

// Gives unused arena memory of these devices back after the run. Values: "cpu:0;gpu:0"; default:
// empty.
static const char* const kOrtRunOptionsConfigEnableMemoryArenaShrinkage =
    "memory.enable_memory_arena_shrinkage";

// 1 does not wait for device work at the end of a run. Values: 0/1; default: 0.
static const char* const kOrtRunOptionsConfigDisableSynchronizeExecutionProviders =
    "disable_synchronize_execution_providers";

// QNN performance mode before the run. Values: named modes; default: default.
static const char* const kOrtRunOptionsConfigQnnPerfMode = "qnn.htp_perf_mode";

// QNN performance mode after the run. Values: named modes; default: unset.
static const char* const kOrtRunOptionsConfigQnnPerfModePostRun = "qnn.htp_perf_mode_post_run";

// QNN call latency setting. Values: integer; default: unset.
static const char* const kOrtRunOptionsConfigQnnRpcControlLatency = "qnn.rpc_control_latency";

// QNN LoRA file. Values: file path; default: unset.
static const char* const kOrtRunOptionsConfigQnnLoraConfig = "qnn.lora_config";

// Which captured device graph this run records or replays. Values: integer, -1 = off, 0 reserved;
// default: 0.
static const char* const kOrtRunOptionsConfigCudaGraphAnnotation = "gpu_graph_id";
