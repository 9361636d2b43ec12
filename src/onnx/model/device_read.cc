#include "onnx/model/device_view.h"

namespace waybill::onnx {
namespace {

Status ReadSimpleShardedDim(Cursor& in, SimpleShardedDimView& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.Int("dim_value", out.dim_value);
        out.has_dim_value = true;
        break;
      case 2:
        in.String("dim_param", out.dim_param);
        out.has_dim_value = false;
        break;
      case 3:
        in.Int("num_shards", out.num_shards);
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

Status ReadShardedDim(Cursor& in, ShardedDimView& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.Int("axis", out.axis);
        break;
      case 2:
        in.Message("simple_sharding", "SimpleShardedDimProto", ReadSimpleShardedDim,
                   out.simple_shardings.emplace_back());
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

Status ReadDeviceGroup(Cursor& in, DeviceGroupView& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.Int("key", out.key);
        break;
      case 2:
        in.List("value", out.values);
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

Status ReadShardingSpec(Cursor& in, ShardingSpecView& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.String("tensor_name", out.tensor_name);
        break;
      case 2:
        in.List("device", out.devices);
        break;
      case 3:
        in.Message("index_to_device_group_map", "IntIntListEntryProto", ReadDeviceGroup,
                   out.device_groups.emplace_back());
        break;
      case 4:
        in.Message("sharded_dim", "ShardedDimProto", ReadShardedDim,
                   out.sharded_dims.emplace_back());
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

}  // namespace

Status ReadDeviceConfiguration(Cursor& in, DeviceConfigurationView& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.String("name", out.name);
        break;
      case 2:
        in.Int32("num_devices", out.num_devices);
        break;
      case 3:
        in.String("device", out.devices);
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

Status ReadNodeDeviceConfiguration(Cursor& in, NodeDeviceConfigurationView& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.String("configuration_id", out.configuration_id);
        break;
      case 2:
        in.Message("sharding_spec", "ShardingSpecProto", ReadShardingSpec,
                   out.sharding_specs.emplace_back());
        break;
      case 3:
        in.Int32("pipeline_stage", out.pipeline_stage);
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

}  // namespace waybill::onnx
