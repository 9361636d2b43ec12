#!/usr/bin/env python3
"""Writes the operator schema tables (src/graph/schema/tables/*.gen.cc) from the onnx package.

    gen_schemas.py                  write the tables
    gen_schemas.py --verify         fail when a committed table differs from what would be written
    gen_schemas.py --check DIR      compare onnx.defs with onnx_ops.tsv and
                                    onnx_op_version_diffs.tsv in DIR; writes nothing

Needs the PyPI package onnx at exactly the version below, so that two runs give equal bytes.
"""
import argparse
import csv
import pathlib
import re
import sys

ONNX_VERSION = "1.23.2"
TABLES = pathlib.Path(__file__).resolve().parent.parent / "src/graph/schema/tables"
SCHEMAS_PER_FILE = 64

# ONNX type name -> (name in masks.h, value of DType)
DTYPES = {
    "float": ("F32", 1), "uint8": ("U8", 2), "int8": ("I8", 3), "uint16": ("U16", 4), "int16": ("I16", 5),
    "int32": ("I32", 6), "int64": ("I64", 7), "string": ("STR", 8), "bool": ("BOOL", 9),
    "float16": ("F16", 10), "double": ("F64", 11), "uint32": ("U32", 12), "uint64": ("U64", 13),
    "complex64": ("C64", 14), "complex128": ("C128", 15), "bfloat16": ("BF16", 16),
    "float8e4m3fn": ("E4M3FN", 17), "float8e4m3fnuz": ("E4M3FNUZ", 18), "float8e5m2": ("E5M2", 19),
    "float8e5m2fnuz": ("E5M2FNUZ", 20), "uint4": ("U4", 21), "int4": ("I4", 22),
    "float4e2m1": ("E2M1", 23), "float8e8m0": ("E8M0", 24), "uint2": ("U2", 25), "int2": ("I2", 26),
}
GROUPS = {
    "F3": ["float16", "float", "double"],
    "INTS": ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"],
    "CPLX": ["complex64", "complex128"],
    "F8": ["float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"],
}
# Types of proposals that have no data type code in any released format.
NO_CODE = re.compile(r"float6e\dm\d")
WRAPPERS = [("tensor", r"tensor\((\w+)\)"), ("seq", r"seq\(tensor\((\w+)\)\)"),
            ("optional", r"optional\(tensor\((\w+)\)\)"),
            ("optional_seq", r"optional\(seq\(tensor\((\w+)\)\)\)")]
ATTR_KINDS = {"FLOAT": "kFloat", "INT": "kInt", "STRING": "kString", "TENSOR": "kTensor", "GRAPH": "kGraph",
              "FLOATS": "kFloats", "INTS": "kInts", "STRINGS": "kStrings", "TENSORS": "kTensors",
              "GRAPHS": "kGraphs", "SPARSE_TENSOR": "kSparseTensor", "SPARSE_TENSORS": "kSparseTensors",
              "TYPE_PROTO": "kTypeProto", "TYPE_PROTOS": "kTypeProtos"}


def load():
    import onnx
    from onnx import defs
    if onnx.__version__ != ONNX_VERSION:
        sys.exit(f"gen_schemas: needs onnx=={ONNX_VERSION}, found {onnx.__version__}")
    schemas = defs.get_all_schemas_with_history()
    return sorted(schemas, key=lambda s: (s.domain, s.name, s.since_version))


def category(schema):
    """The folder of the operator's definition in the onnx sources, which is its category there."""
    return pathlib.PurePosixPath(schema.file).parent.name


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def identifier(text):
    return re.sub(r"\W", "_", text)


def mask(names):
    left = set(names)
    parts = []
    for group, members in GROUPS.items():
        if left.issuperset(members):
            parts.append(group)
            left.difference_update(members)
    parts += [DTYPES[n][0] for n in sorted(left, key=lambda n: DTYPES[n][1])]
    return " | ".join(parts) or "0"


def split_types(strings):
    """Type strings -> ({wrapper: [element types]}, [other type strings])."""
    sets = {name: [] for name, _ in WRAPPERS}
    others = []
    for text in strings:
        text = text.replace(" ", "")
        if NO_CODE.search(text):
            continue
        for name, pattern in WRAPPERS:
            if match := re.fullmatch(pattern, text):
                sets[name].append(match[1])
                break
        else:  # a map's value is spelled as the tensor it is
            others.append(re.sub(r"map\((\w+),(\w+)\)", r"map(\1,tensor(\2))", text))
    return sets, sorted(others)


class File:
    """One generated source: definitions that later schemas share, then the schema rows."""

    def __init__(self, name):
        self.name, self.defs, self.rows, self.known = name, [], [], {}

    def shared(self, kind, ctype, body, hint):
        """Name of the constant array with this body, defined once."""
        if not body:
            return "{}"
        key = (ctype, body)
        if key not in self.known:
            self.known[key] = f"k{hint}{kind}"
            self.defs.append(f"constexpr {ctype} k{hint}{kind}[] = {{{body}}};")
        return self.known[key]

    def types(self, schema, hint):
        rows, index = [], {}
        def add(letter, strings):
            sets, others = split_types(strings)
            fields = [quote(letter)] + [mask(sets[name]) for name, _ in WRAPPERS]
            if others:
                fields.append(self.shared(f"Others{len(rows)}", "std::string_view", ", ".join(map(quote, others)), hint))
            while fields[-1] == "0":
                fields.pop()
            rows.append("{" + ", ".join(fields) + "}")
        for constraint in schema.type_constraints:
            index[constraint.type_param_str] = len(rows)
            add(constraint.type_param_str, constraint.allowed_type_strs)
        for param in list(schema.inputs) + list(schema.outputs):
            if param.type_str not in index:
                index[param.type_str] = len(rows)
                add("", [param.type_str])
        return self.shared("Types", "TypeConstraint", ", ".join(rows), hint), index

    def params(self, params, index, kind, hint):
        rows = []
        for p in params:
            option = str(p.option).split(".")[-1]
            row = f"{quote(p.name)}, {index[p.type_str]}"
            if option == "Optional":
                row += ", Option::kOptional"
            elif option == "Variadic":
                row += f", Option::kVariadic, {'true' if p.is_homogeneous else 'false'}, {p.min_arity}"
            rows.append("{" + row + "}")
        return self.shared(kind, "Param", ", ".join(rows), hint)

    def fallback(self, attr, hint):
        value = attr.default_value
        kind = str(attr.type).split(".")[-1]
        if value.type == 0:
            return None
        if kind == "INT":
            body = f".i = {value.i}"
        elif kind == "FLOAT":
            body = f".f = {float(value.f)!r}f"
        elif kind == "STRING":
            body = f".s = {quote(value.s.decode())}"
        elif kind == "INTS":
            body = ".ints = " + self.shared(f"Ints_{attr.name}", "int64_t", ", ".join(map(str, value.ints)), hint)
        elif kind == "STRINGS":
            body = ".strings = " + self.shared(f"Strings_{attr.name}", "std::string_view",
                                               ", ".join(quote(s.decode()) for s in value.strings), hint)
        else:
            sys.exit(f"gen_schemas: {hint}: no table form for a default of type {kind}")
        key = ("AttrDefault", body)
        if key not in self.known:
            self.known[key] = f"kDefault{sum(k[0] == 'AttrDefault' for k in self.known)}"
            self.defs.append(f"constexpr AttrDefault {self.known[key]} = {{{body}}};")
        return self.known[key]

    def attrs(self, schema, hint):
        rows = []
        for name in sorted(schema.attributes):
            attr = schema.attributes[name]
            row = f"{quote(name)}, AttrType::{ATTR_KINDS[str(attr.type).split('.')[-1]]}"
            if fallback := self.fallback(attr, hint):
                row += f", false, &{fallback}"
            elif attr.required:
                row += ", true"
            rows.append("{" + row + "}")
        return self.shared("Attrs", "Attr", ", ".join(rows), hint)

    def add(self, schema):
        hint = f"{schema.name}{schema.since_version}_"
        types, index = self.types(schema, hint)
        inputs = self.params(schema.inputs, index, "In", hint)
        outputs = self.params(schema.outputs, index, "Out", hint)
        attrs = self.attrs(schema, hint)
        def count(n):
            return "kUnlimited" if n >= 2**31 - 1 else str(n)
        def flag(b):
            return "true" if b else "false"
        body = schema.has_function or schema.has_context_dependent_function
        random = str(schema.node_determinism).split(".")[-1] == "NonDeterministic"
        self.rows.append(
            f"{{{quote(schema.domain)}, {quote(schema.name)}, {schema.since_version}, {flag(schema.deprecated)}, "
            f"{flag(body)}, {flag(random)}, {count(schema.min_input)}, {count(schema.max_input)}, "
            f"{count(schema.min_output)}, {count(schema.max_output)}, {types}, {inputs}, {outputs}, {attrs}}},")

    def text(self):
        return "\n".join([
            HEADER, '#include "graph/schema/tables/masks.h"', '#include "graph/schema/tables/tables.gen.h"', "",
            "namespace waybill::graph::schema::tables {", "", "namespace {", "", *self.defs, "", "}  // namespace", "",
            f"constinit const OpSchema {array(self.name)}[{len(self.rows)}] = {{", *self.rows, "};", "",
            "}  // namespace waybill::graph::schema::tables", ""])


HEADER = f"// Generated by scripts/gen_schemas.py from the Python package onnx {ONNX_VERSION}. Do not edit.\n// clang-format off"


def array(name):
    return "k" + "".join(part.capitalize() for part in name.split("_")) + "Schemas"


def generate(schemas):
    """{file name: text}."""
    groups = {}
    for schema in schemas:
        groups.setdefault(category(schema), []).append(schema)
    files, place = [], {}
    for name in sorted(groups):
        parts = -(-len(groups[name]) // SCHEMAS_PER_FILE)
        for part in range(parts):
            file = File(name if parts == 1 else f"{name}_{part + 1}")
            for schema in groups[name][part * SCHEMAS_PER_FILE:(part + 1) * SCHEMAS_PER_FILE]:
                place[(schema.domain, schema.name, schema.since_version)] = (file, len(file.rows))
                file.add(schema)
            files.append(file)
    out = {f"{file.name}.gen.cc": file.text() for file in files}
    newest = {}
    for schema in schemas:
        newest[schema.domain] = max(newest.get(schema.domain, 0), schema.since_version)
    out["tables.gen.h"] = "\n".join([
        HEADER, "#pragma once", "", '#include "graph/schema/schema.h"', "",
        "namespace waybill::graph::schema::tables {", "",
        *[f"extern const OpSchema {array(f.name)}[{len(f.rows)}];" for f in files], "",
        "// All schemas by domain, name and version.",
        f"extern const OpSchema* const kIndex[{len(schemas)}];", "",
        "}  // namespace waybill::graph::schema::tables", ""])
    out["index.gen.cc"] = "\n".join([
        HEADER, '#include "graph/schema/tables/tables.gen.h"', "",
        "namespace waybill::graph::schema::tables {", "",
        f"constinit const OpSchema* const kIndex[{len(schemas)}] = {{",
        *[f"    &{array(place[(s.domain, s.name, s.since_version)][0].name)}"
          f"[{place[(s.domain, s.name, s.since_version)][1]}],  // {s.domain or 'ai.onnx'} {s.name} {s.since_version}"
          for s in schemas],
        "};", "", "}  // namespace waybill::graph::schema::tables", ""])
    return out


# ---- comparison with independent tables of the specification -------------------------------------

FACT_GROUPS = {"INT8x": GROUPS["INTS"], "F3": GROUPS["F3"], "F8": GROUPS["F8"], "C2": GROUPS["CPLX"]}


def expand(text):
    """'tensor(F3|int8) + seq(tensor(F3))' -> set of type strings."""
    out = set()
    for term in (t.strip() for t in text.split(" + ")):
        if term.startswith("map(") or term.startswith("seq(map("):
            out.add(term)
            continue
        names = re.search(r"([\w|]+)\)*$", term)[1]
        wrap = term.replace(names, "{}") if "(" in term else "tensor({})"
        for name in names.split("|"):
            for dtype in FACT_GROUPS.get(name, [name]):
                out.add(wrap.format(dtype))
    return out


def signature(schema):
    """(inputs, outputs) as lists of (name + mark, set of type strings)."""
    letters = {c.type_param_str: {t.replace(" ", "") for t in c.allowed_type_strs if not NO_CODE.search(t)}
               for c in schema.type_constraints}
    marks = {"Optional": "?", "Variadic": "*", "Single": ""}
    def side(params):
        return [(p.name + marks[str(p.option).split(".")[-1]],
                 letters.get(p.type_str, {p.type_str.replace(" ", "")})) for p in params]
    return side(schema.inputs), side(schema.outputs)


def fact_signature(text):
    sides, _, where = text.partition(" where ")
    letters = {}
    for part in filter(None, where.split("; ")):
        letter, _, types = part.partition("=")
        letters[letter] = expand(types)
    def side(half):
        out = []
        for param in filter(None, (p.strip() for p in half.split(", "))):
            name, _, kind = param.partition(":")
            out.append((name, letters[kind] if kind in letters else expand(kind)))
        return out
    left, _, right = sides.partition("->")
    return side(left), side(right)


def check(schemas, folder):
    by_key = {(s.domain or "ai.onnx", s.name, s.since_version): s for s in schemas}
    errors, newer = [], []
    with open(folder / "onnx_op_version_diffs.tsv") as lines:
        facts = {(r["domain"], r["op"], int(r["version"])) for r in csv.DictReader(lines, delimiter="\t")}
    errors += [f"missing here: {key}" for key in sorted(facts - by_key.keys())]
    last = max(v for d, _, v in facts if d == "ai.onnx")
    for key in sorted(by_key.keys() - facts):
        (newer if key[0] == "ai.onnx" and key[2] >= last else errors).append(f"not in the table: {key}")
    with open(folder / "onnx_ops.tsv") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            schema = by_key.get((row["domain"], row["op"], int(row["latest_since"])))
            if schema is None:
                continue
            here = f"{row['op']}-{row['latest_since']}"
            want = fact_signature(row["signature_and_type_constraints_of_latest"])
            got = signature(schema)
            if want != got and not schema.deprecated:
                errors.append(f"{here}: signature {got} but the table says {want}")
            wanted = {a.split(":")[0]: a.rstrip().endswith("!")
                      for a in re.split(r", (?=\w+:)", row["attributes_of_latest(!=required)"]) if a}
            attrs = {n: a.required for n, a in schema.attributes.items()}
            if wanted != attrs and not schema.deprecated:
                errors.append(f"{here}: attributes {attrs} but the table says {wanted}")
            body = schema.has_function or schema.has_context_dependent_function
            if body != row["function_body"].startswith("yes"):
                errors.append(f"{here}: function body {body} but the table says {row['function_body']}")
    for line in errors:
        print(line)
    print(f"{len(schemas)} schemas, {len(facts)} in the table, {len(newer)} newer than it, {len(errors)} errors")
    return 1 if errors else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", metavar="DIR", type=pathlib.Path)
    parser.add_argument("--verify", action="store_true")
    args = parser.parse_args()
    schemas = load()
    if args.check:
        return check(schemas, args.check)
    files = generate(schemas)
    if args.verify:
        present = {p.name: p.read_text() for p in TABLES.glob("*.gen.*")}
        for name in sorted(present.keys() ^ files.keys() | {n for n in files if present.get(n) != files[n]}):
            print(f"{name} is not what gen_schemas.py writes")
        return present != files
    for old in TABLES.glob("*.gen.*"):
        old.unlink()
    for name, text in files.items():
        (TABLES / name).write_text(text)
    print(f"{len(schemas)} schemas in {len(files)} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
