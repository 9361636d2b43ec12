#!/usr/bin/env python3
"""Writes the conformance cases of the installed PyPI package `onnx` as plain folders.

Usage: conformance_cases.py OUT

OUT/<kind>/<case>/model.onnx and OUT/<kind>/<case>/test_data_set_N/{input,output}_K.pb, for the kinds
node, simple, pytorch-converted and pytorch-operator. Does nothing when OUT was made by the same
versions before.
"""
import pathlib
import shutil
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.backend.test import loader

# Whose versions decide what is in the files.
VERSIONS = " ".join(m.__name__ + " " + m.__version__ for m in (onnx, np, ml_dtypes))
ON_DISK = ("simple", "pytorch-converted", "pytorch-operator")


def to_proto(value, type_proto):
    if isinstance(value, (onnx.TensorProto, onnx.SequenceProto, onnx.OptionalProto)):
        return value
    if type_proto.HasField("optional_type"):
        inner = type_proto.optional_type.elem_type
        kind = (onnx.OptionalProto.SEQUENCE if inner.HasField("sequence_type")
                else onnx.OptionalProto.TENSOR)
        if value is None:
            return helper.make_optional("", onnx.OptionalProto.UNDEFINED, None)
        return helper.make_optional("", kind, to_proto(value, inner))
    if type_proto.HasField("sequence_type"):
        inner = type_proto.sequence_type.elem_type
        out = onnx.SequenceProto(elem_type=onnx.SequenceProto.TENSOR)
        out.tensor_values.extend(to_proto(item, inner) for item in value)
        return out
    return numpy_helper.from_array(np.asarray(value))


def write_case(folder, case):
    """A case that exists in memory only: the node tests."""
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    graph = case.model.graph
    for number, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{number}"
        data.mkdir()
        for what, values, infos in (("input", inputs, graph.input), ("output", outputs, graph.output)):
            for k, (value, info) in enumerate(zip(values, infos)):
                proto = to_proto(value, info.type)
                (data / f"{what}_{k}.pb").write_bytes(proto.SerializeToString())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    stamp = out / "version"
    if stamp.is_file() and stamp.read_text() == VERSIONS:
        return
    shutil.rmtree(out, ignore_errors=True)
    counts = {}
    for case in loader.load_model_tests(kind="node"):
        write_case(out / "node" / case.name, case)
        counts["node"] = counts.get("node", 0) + 1
    data = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data"
    for kind in ON_DISK:
        if (data / kind).is_dir():
            shutil.copytree(data / kind, out / kind)
            counts[kind] = sum(1 for _ in (out / kind).iterdir())
    stamp.write_text(VERSIONS)
    print("conformance cases: " + ", ".join(f"{n} {kind}" for kind, n in counts.items()))


if __name__ == "__main__":
    main()
