"""CUDA C++ to PTX: NVIDIA's headers, the prelude, errors in the learner's lines, the cache."""

import pytest

from grader.cuda import CompileError, compilers


def compiles(body, includes=""):
    return compilers.compile_ptx(f'{includes}\nextern "C" __global__ void k(float* y) {{ {body} }}')


@pytest.mark.parametrize(
    "header",
    [
        *("cub/cub.cuh", "cub/block/block_reduce.cuh", "cooperative_groups.h", "cuda_fp16.h"),
        *("cuda_bf16.h", "cuda/std/limits", "cuda_runtime.h", "cmath", "cstdint", "stdio.h"),
        *("cfloat", "type_traits", "cassert", "float.h"),
        # for the host half of a program, which is often pasted along
        *("algorithm", "chrono", "string", "time.h", "cuda.h", "cublas_v2.h", "helper_cuda.h"),
    ],
)
def test_headers_that_teaching_kernels_include(header):
    assert ".entry k" in compiles("y[0] = 1.0f;", f"#include <{header}>").text


@pytest.mark.parametrize(
    "expression",
    [
        *("-INFINITY", "NAN", "FLT_MAX", "-FLT_MAX", "DBL_MAX", "INT_MAX", "UINT_MAX", "INT_MIN"),
        *("FLT_EPSILON", "uint32_t(1)", "std::int64_t(2)", "uint(3)", "CHAR_BIT", "M_PI"),
    ],
)
def test_the_prelude_supplies_what_nvrtc_lacks(expression):
    compiles(f"y[0] = {expression};")


def test_cublas_brings_the_half_types_along():
    compiles(
        "y[0] = __bfloat162float(__nv_bfloat16(1)) + __half2float(__half(2));",
        "#include <cublas_v2.h>",
    )


def test_an_error_inside_a_header_is_not_buried_under_warnings():
    with pytest.raises(CompileError) as caught:
        compiles("", "#include <cuda/std/climits>\n#include <thrust/device_vector.h>")
    assert "redefinition" not in str(caught.value)


def test_a_template_is_compiled_under_its_name_expression():
    code = "template <typename T> __global__ void k(T* y) { y[0] = T(1); }"
    ptx = compilers.compile_ptx(code, name_expressions=("k<double>",))
    assert f".entry {ptx.names['k<double>']}(" in ptx.text


def test_options_reach_nvrtc():
    ptx = compilers.compile_ptx(
        'extern "C" __global__ void k(int* y) { y[0] = N; }', ("-DN=12345", "-arch=compute_80")
    )
    assert "12345" in ptx.text and ".target sm_80" in ptx.text


def test_every_error_is_shown_with_its_own_line():
    with pytest.raises(CompileError) as caught:
        compilers.compile_ptx(
            'extern "C" __global__ void k(float* y) {\n  y[0] = a;\n\n  b();\n}\n'
        )
    message = str(caught.value)
    assert caught.value.line == 2
    assert "line 2" in message and "y[0] = a;" in message
    assert "line 4" in message and "b();" in message


def test_a_warning_is_no_error():
    compiles("int unused = 3; y[0] = 1.0f;")


def test_an_unknown_header_is_named():
    with pytest.raises(CompileError, match=r"nowhere\.h"):
        compiles("", "#include <nowhere.h>")


def test_the_second_compile_comes_from_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = compiles("y[0] = 4.0f;")
    assert len(list((tmp_path / "warpwise").iterdir())) == 2
    assert compiles("y[0] = 4.0f;") == first
    assert compiles("y[0] = 5.0f;") != first


def test_a_home_that_cannot_be_written_costs_only_time(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert ".entry k" in compiles("y[0] = 6.0f;").text
