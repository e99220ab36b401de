"""The include check finds each kind of breach in a small tree made for it, and nothing in a good one."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).with_name("check_includes.py")


def check(files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            file = pathlib.Path(root) / "src" / "hasa" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        done = subprocess.run([sys.executable, "-B", CHECK, root], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


class CheckIncludes(unittest.TestCase):
    def assert_found(self, files, message):
        code, said = check(files)
        self.assertEqual(code, 1, said)
        self.assertIn(message, said)

    def test_accepts_a_good_tree(self):
        code, said = check({
            "base/error.h": "#pragma once\n#include <string>\n// exit(1) is for apps; see \"gtest/gtest.h\"\n",
            "base/error_test.cpp": "#include <gtest/gtest.h>\n#include \"hasa/base/error.h\"\n",
            "kg/graph.h": "#include \"hasa/base/error.h\"\n",
            "ops/rank.cu": "#include <cuda_runtime.h>\n",
            "ops/rank_ref.cpp": "",
            "ops/mean_forward.cu": "",
            "ops/mean_backward.cu": "",
            "ops/mean_ref.cpp": "",
            "ops/rank.cpp": "#include <ATen/ATen.h>\n#include <c10/cuda/CUDAStream.h>\nvoid f() { loop.exit(1); }\n",
            "dist/comm.cpp": "#include <torch/csrc/distributed/c10d/Store.hpp>\n",
            "model/bank.cpp": "#include \"hasa/kg/graph.h\"\n#include <torch/types.h>\n",
        })
        self.assertEqual(code, 0, said)

    def test_finds_an_include_against_the_direction(self):
        self.assert_found({"base/a.h": '#include "hasa/kg/g.h"\n', "kg/g.h": ""}, "base/a.h:1: includes hasa/kg/g.h: base does not build on kg")

    def test_finds_two_types_of_one_name(self):
        self.assert_found({"kg/a.h": "struct Answer {\n  int x;\n};\n", "model/b.h": "class Answer : public Base {\n};\n"},
                          "src/hasa/model/b.h: defines Answer, as src/hasa/kg/a.h does")

    def test_finds_no_fault_in_declarations_and_inner_types(self):
        code, said = check({"kg/a.h": "struct Answer {\n  int x;\n};\n",
                            "kg/b.h": "struct Answer;\nclass B {\n  struct Answer {\n  };\n};\n"})
        self.assertEqual(code, 0, said)

    def test_finds_a_tokenizer_in_nn(self):
        self.assert_found({"nn/a.cpp": '#include "hasa/text/t.h"\n', "text/t.h": ""}, "nn does not build on text")

    def test_finds_a_loss_in_a_language_model(self):
        self.assert_found({"nn/a.cpp": '#include "hasa/loss/l.h"\n', "loss/l.h": ""}, "nn does not build on loss")

    def test_finds_a_family_in_the_trainer(self):
        self.assert_found({"train/a.cpp": '#include "hasa/families/f.h"\n', "families/f.h": ""}, "train does not build on families")

    def test_finds_c10d_outside_dist(self):
        self.assert_found({"train/a.cpp": "#include <torch/csrc/distributed/c10d/Store.hpp>\n"}, "only dist knows c10d")

    def test_finds_cuda_outside_ops(self):
        self.assert_found({"nn/a.cpp": "#include <cuda_runtime.h>\n"}, "only ops knows CUDA")
        self.assert_found({"nn/a.cpp": "#include <ATen/cuda/CUDAContext.h>\n"}, "only ops knows CUDA")
        self.assert_found({"nn/a.cu": ""}, "CUDA kernels live in ops")

    def test_finds_a_kernel_launch_that_nothing_checks(self):
        unchecked = "void f(void* stream) {\n  k<<<1, 32, 0, static_cast<cudaStream_t>(stream)>>>(2);\n}\n"
        self.assert_found({"ops/score/a.cu": unchecked}, "ops/score/a.cu:2: starts a kernel unchecked")
        self.assert_found({"ops/core/a.cuh": "  cudaLaunchKernel(f, 1, 1, 0, 0, 0);\n"}, "starts a kernel unchecked")
        code, said = check({"ops/core/launch.cuh": unchecked, "ops/a.cu": "// k<<<1, 32>>>(2) in words\nlaunch(k);\n", "ops/a_ref.cpp": ""})
        self.assertEqual(code, 0, said)

    def test_finds_a_kernel_without_a_reference(self):
        self.assert_found({"ops/score/a.cu": "", "ops/score/b_ref.cpp": ""}, "ops/score/a.cu: has no a_ref.cpp beside it")

    def test_finds_torch_where_fuzzers_build(self):
        self.assert_found({"kg/a.h": "#include <torch/types.h>\n"}, "this part is free of torch")
        self.assert_found({"nn/safetensors.h": "#include <c10/util/Half.h>\n"}, "this part is free of torch")

    def test_finds_all_of_torch(self):
        self.assert_found({"nn/a.cpp": "#include <torch/torch.h>\n"}, "torch/types.h and ATen/... are enough")

    def test_finds_an_exit(self):
        self.assert_found({"kg/a.cpp": "void f() {\n  std::exit(1);\n}\n"}, "kg/a.cpp:2: ends the program")

    def test_finds_test_helpers_in_the_library(self):
        self.assert_found({"kg/a.cpp": '#include "hasa/base/testing.h"\n', "base/testing.h": ""}, "only *_test.cpp may")

    def test_finds_a_disabled_test(self):
        self.assert_found({"kg/a_test.cpp": "TEST(Graph, DISABLED_Works) {}\n"}, "a disabled test")

    def test_finds_folders_and_files_that_are_not_there(self):
        self.assert_found({"kg/a.cpp": '#include "hasa/kg/b.h"\n'}, "which is not there")
        self.assert_found({"misc/a.cpp": ""}, "misc is not in the table")
        self.assert_found({"kg/a.cpp": '#include "graph.h"\n'}, 'write it from src, as "hasa/kg/..."')


if __name__ == "__main__":
    unittest.main()
