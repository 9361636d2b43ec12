#!/usr/bin/env python3
"""Samples that the layer check must refuse, and one that it must accept."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent

LAYERS = """
[layers."src/base"]
may_include = ["src/base"]
[layers."src/graph"]
may_include = ["src/base", "src/graph"]
[layers."src/graph/import"]
may_include = ["src/base", "src/graph", "src/onnx"]
[layers."src/onnx"]
may_include = ["src/base", "src/onnx"]
third_party = ["protozero"]
[layers."tools"]
may_include = ["include", "tools"]
[layers."include"]
may_include = ["include"]
[third_party_headers]
protozero = ["protozero/"]
gtest = ["gtest/"]
"""


class LayersTest(unittest.TestCase):
    def check(self, files, layers=LAYERS):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "layers.toml").write_text(layers)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            run = subprocess.run([sys.executable, HERE / "check_layers.py", "--root", root,
                                  "--layers", root / "layers.toml"],
                                 capture_output=True, text=True)
            return run.returncode, run.stdout

    def refuse(self, files, words, layers=LAYERS):
        code, out = self.check(files, layers)
        self.assertEqual(code, 1, out)
        self.assertIn(words, out)

    def test_accepts_downward_includes(self):
        code, out = self.check({
            "src/base/a.h": "#include <vector>\n",
            "src/onnx/r.h": '#include <protozero/pbf_reader.hpp>\n#include "base/a.h"\n',
            "src/graph/g.h": '#include "base/a.h"\n',
            "src/graph/import/i.cc": '#include "onnx/r.h"\n#include "graph/g.h"\n',
            "src/graph/g_test.cc": "#include <gtest/gtest.h>\n",
        })
        self.assertEqual(code, 0, out)

    def test_refuses_an_upward_include(self):
        self.refuse({"src/base/a.h": '#include "graph/g.h"\n', "src/graph/g.h": ""},
                    "src/base may not include src/graph")

    def test_refuses_onnx_outside_import(self):
        self.refuse({"src/graph/g.h": '#include "onnx/r.h"\n', "src/onnx/r.h": ""},
                    "src/graph may not include src/onnx")

    def test_refuses_a_way_around_through_a_subfolder(self):
        self.refuse({"src/graph/g.cc": '#include "graph/import/i.h"\n', "src/graph/import/i.h": ""},
                    "src/graph may not include src/graph/import")

    def test_refuses_a_library_of_another_layer(self):
        self.refuse({"src/base/a.h": "#include <protozero/pbf_reader.hpp>\n"},
                    "src/base may not use protozero")

    def test_refuses_test_libraries_in_the_product(self):
        self.refuse({"src/base/a.cc": "#include <gtest/gtest.h>\n"}, "src/base may not use gtest")

    def test_refuses_relative_paths(self):
        self.refuse({"src/base/a.h": '#include "../graph/g.h"\n', "src/graph/g.h": ""},
                    "from the root")
        self.refuse({"src/base/a.h": '#include "b.h"\n', "src/base/b.h": ""}, "is no file from")

    def test_refuses_our_files_in_angle_brackets(self):
        self.refuse({"src/base/a.h": "#include <graph/g.h>\n", "src/graph/g.h": ""}, "use quotes")

    def test_refuses_src_from_tools(self):
        self.refuse({"tools/t.cc": '#include "base/a.h"\n', "src/base/a.h": ""},
                    "tools may not include src/base")

    def test_refuses_macro_includes(self):
        self.refuse({"src/base/a.h": "#include HEADER\n"}, "target is a macro")

    def test_refuses_a_folder_without_a_row(self):
        self.refuse({"src/base/a.h": "", "tools/x.cc": ""}, "no row",
                    LAYERS.replace('[layers."tools"]\nmay_include = ["include", "tools"]',
                                   '[layers."tools/other"]\nmay_include = ["include"]'))

    def test_refuses_a_cycle(self):
        self.refuse({"src/base/a.h": ""}, "has a cycle",
                    LAYERS.replace('may_include = ["src/base"]\n',
                                   'may_include = ["src/base", "src/onnx"]\n', 1))


if __name__ == "__main__":
    unittest.main()
