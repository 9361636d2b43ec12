// SPDX-License-Identifier: Apache-2.0
// Names of entries in provider and model metadata.
#pragma once

// Provider version in EpDevice_EpMetadata (CPU provider: the library version). Values: text;
// default: -.
static const char* const kOrtEpDevice_EpMetadataKey_Version = "version";

// Driver version of a provider device. Values: text; default: -.
static const char* const kOrtEpDevice_EpMetadataKey_OSDriverVersion = "os_driver_version";

// File of a plug-in provider. Values: path; default: -.
static const char* const kOrtEpDevice_EpMetadataKey_LibraryPath = "library_path";

// Marks a hardware device that does not exist. Values: 0/1; default: 0.
static const char* const kOrtHardwareDevice_MetadataKey_IsVirtual = "is_virtual";

// Model metadata entry with a provider's compatibility text. Values: text; default: -.
static const char* const kOrtModelMetadata_EpCompatibilityInfoPrefix = "ep_compatibility_info.<EP>";

// 1.29: what a provider device offers. Values: none / external_only / all; default: none.
static const char* const kOrtEpDevice_EpMetadataKey_WeightlessSupport = "weightless_support";
