// The multi-device annotations of IR 11. Informational: nothing here runs by them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "onnx/wire/cursor.h"
#include "onnx/wire/field_list.h"

namespace waybill::onnx {

struct DeviceConfigurationView {
  std::string_view name;
  int32_t num_devices = 0;
  std::vector<std::string_view> devices;
};

struct SimpleShardedDimView {
  bool has_dim_value = false;
  int64_t dim_value = 0;
  std::string_view dim_param;
  int64_t num_shards = 0;
};

struct ShardedDimView {
  int64_t axis = 0;
  std::vector<SimpleShardedDimView> simple_shardings;
};

struct DeviceGroupView {
  int64_t key = 0;
  FieldList<int64_t> values;
};

struct ShardingSpecView {
  std::string_view tensor_name;
  FieldList<int64_t> devices;
  std::vector<DeviceGroupView> device_groups;
  std::vector<ShardedDimView> sharded_dims;
};

struct NodeDeviceConfigurationView {
  std::string_view configuration_id;
  std::vector<ShardingSpecView> sharding_specs;
  int32_t pipeline_stage = 0;
};

Status ReadDeviceConfiguration(Cursor& in, DeviceConfigurationView& out);
Status ReadNodeDeviceConfiguration(Cursor& in, NodeDeviceConfigurationView& out);

}  // namespace waybill::onnx
