// SPDX-License-Identifier: Apache-2.0
// Names of environment config entries (OrtEnvCreationOptions).
#pragma once

// For CreateEnvWithOptions: lets plug-in providers make virtual devices; set by itself when a
// library is registered under a name ending in .virtual. Values: 0/1; default: 0.
static const char* const kOrtEnvAllowVirtualDevices = "allow_virtual_devices";
