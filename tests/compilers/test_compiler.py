"""CUDA C++ to PTX: NVIDIA's headers, the prelude, errors in the learner's lines, the cache."""

import pytest

from grader import compilers
from grader.compilers.lexer import without_comments
from grader.compilers.logs import NvrtcLog
from grader.cuda import CompileError, errors
from grader.notebook.cards import excerpt


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


@pytest.mark.parametrize("kind", ["__nv_bfloat162", "__half2"])
def test_a_pair_is_passed_by_value_and_its_function_stays(kind):
    code = f"""#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void k({kind}* x) {{ x[0] = __hmax2(x[0], x[1]); }}"""
    ptx = compilers.compile_ptx(code).text
    assert "max." in ptx and "trap;" not in ptx


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


def test_every_error_has_its_own_line_and_column():
    found = refused('extern "C" __global__ void k(float* y) {\n  y[0] = a;\n\n  b();\n}\n')
    assert [(one.line, one.column) for one in found] == [(2, 9), (4, 2)]
    said = {
        "nvrtc": 'identifier "{}" is undefined',
        "clang": "use of undeclared identifier '{}'",
    }[compilers.chosen_name()]
    assert [one.message for one in found] == [said.format("a"), said.format("b")]


def refused(code, options=(), names=()):
    """What the compiler says against `code`."""
    with pytest.raises(CompileError) as caught:
        compilers.compile_ptx(code, options, names)
    return caught.value.diagnostics


OPEN = 'extern "C" __global__ void k(float* y) {\n'
FORMS = {
    "a brace that is not closed": (OPEN + "  if (y) {\n    y[0] = 1;\n", 3, 'expected a "}"', 2),
    "no line end at the end": (OPEN + "  y[0] = 1;", 2, 'expected a "}"', 1),
    "a comment that is not closed": (OPEN + "/* y[0] = 1;\n}\n", 2, "comment unclosed", None),
    "a string that is not closed": (OPEN + '  printf("a);\n}', 2, "missing closing quote", None),
    "a raw string that is not closed": (OPEN + '  printf(R"(a);\n}', 2, "raw string", None),
    "an #if that is not closed": ("\n#if 1\n" + OPEN + "}", 2, "#endif", None),
    "inside a macro": (f"#define A b\n{OPEN}  y[0] = A;\n}}", 3, '"b" is undefined', None),
    "inside a macro of several lines": (
        f"#define A \\\n  b\n{OPEN}  y[0] = A;\n}}",
        4,
        '"b" is undefined',
        None,
    ),
    "inside the learner's own template": (
        f"template <class T> __device__ T f(T t) {{ return t.x; }}\n{OPEN}  f(1);\n}}",
        *(1, "expression must have class type", 3),
    ),
    "a template of a header": (
        "#include <cuda/std/utility>\nstruct S {};\n"
        f"{OPEN}  cuda::std::pair<S, S> a, b;\n  bool c = a < b;\n}}",
        *(5, 'cuda/std/__utility/pair.h, line 580: no operator "<"', None),
    ),
    "a header for the host": (f"\n#include <thrust/sort.h>\n{OPEN}}}", 2, "Thrust is not", None),
    "an unknown header": (f"\n#include <nowhere.h>\n{OPEN}}}", 2, "cannot open", None),
    "an #error": (f'\n#error "no"\n{OPEN}}}', 2, '#error directive: "no"', None),
    "an assertion": (f'{OPEN}  static_assert(1 == 2, "no");\n}}', 2, 'failed with "no"', None),
    "a warning made an error": (
        f"#pragma nv_diag_error 177\n{OPEN}  int a;\n}}",
        *(3, "never referenced", None),
    ),
    "a recursion": (
        "template <int N> struct E { enum { v = E<N + 1>::v }; };\n"
        f"{OPEN}  y[0] = E<0>::v;\n}}",
        *(1, "excessive recursion", 1),
    ),
    "a source that includes itself": (f"\n#include __FILE__\n{OPEN}}}", 2, "includes itself", None),
    "a semicolon that lacks": (
        f"{OPEN}  y[0] = 1  // one\n\n  /* and\n  then */\n  y[1] = 2;\n}}",
        *(2, 'expected a ";"', None),
    ),
    "a splice": (f"{OPEN}  y[0] = \\\n    a;\n}}", 3, '"a" is undefined', None),
}
# What clang says in place of NVRTC's words.
CLANGS_WORDS = {
    'expected a "}"': "expected '}'",
    'expected a ";"': "expected ';'",
    "comment unclosed": "unterminated /* comment",
    "missing closing quote": "missing terminating '\"'",
    "#endif": "unterminated conditional directive",
    '"b" is undefined': "undeclared identifier 'b'",
    '"a" is undefined': "undeclared identifier 'a'",
    "expression must have class type": "'int' is not a structure or union",
    'pair.h, line 580: no operator "<"': "pair.h, line 580: invalid operands",
    'failed with "no"': "failed due to requirement '1 == 2': no",
    "excessive recursion": "exceeded maximum depth",
    "includes itself": "cannot open",  # there is no file of that name, to clang
}


def clangs(message):
    for words, others in CLANGS_WORDS.items():
        message = message.replace(words, others)
    return message


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_error_has_a_line(form):
    code, line, message, noted = FORMS[form]
    if compilers.chosen_name() == "clang":
        if form == "a warning made an error":
            pytest.skip("a pragma of NVRTC's own")
        message = clangs(message)
    found = next(one for one in refused(code) if message in one.message)
    assert found.line == line
    assert noted in [note.line for note in found.notes] or noted is None


@pytest.mark.skipif(
    not compilers.COMPILERS["nvrtc"].available(), reason="NO NVRTC HERE: clang has no ptxas"
)
def test_what_ptxas_refuses_is_looked_for_in_asm():
    with pytest.raises(CompileError, match="known instruction: 'foo'") as caught:
        compilers.compile_cubin(OPEN + '  asm("foo;");\n}', (), (), "sm_90")
    assert caught.value.line == 2


@pytest.mark.parametrize("option", ["-nonsense", "-arch=compute_1", "-Xcudafe=--nonsense"])
def test_an_option_that_is_not_known_is_named(option):
    with pytest.raises(CompileError, match="option"):
        compilers.compile_ptx(OPEN + "}", (option,))


def test_carets_stand_under_what_is_wrong_beside_tabs_and_letters_of_two_bytes():
    source = OPEN + "\t/* ü */\ty[0] = a;\n}"
    assert refused(source)[0].column == source.splitlines()[1].index("a;")


def test_what_is_shown_of_an_error_is_bounded():
    twice = "template <class T, class U> struct P {}; template <int N, class T> struct F"
    twice += " { typedef typename F<N - 1, P<T, T>>::type type; };"
    twice += " template <class T> struct F<0, T> { typedef typename T::nope type; };"
    for source in (
        f"{twice} F<18, int>::type x;",
        OPEN + "a" * 90_000 + ";\n}",
        OPEN + "x + " * 20_000 + ";\n}",
        OPEN + "".join(f"  a{n};\n" for n in range(9_000)) + "}",
    ):
        found = refused(source)
        assert len(errors.shown(found, source)) < 8_000
        assert found[0].line in (1, 2)


# --- what a source may be made of -------------------------------------------------------------


@pytest.mark.parametrize("character", ["\0", "\x01", "\x1b", "\x7f", "\x85", "\u202e", "\u2066"])
@pytest.mark.parametrize("place", ["{}", "/* {} */", '"{}"', "y[0] = 1; // {}"])
def test_a_character_that_hides_what_is_compiled_is_refused_by_its_line(character, place):
    found = refused(f"{OPEN}\n  {place.format(character)}\n}}")
    assert found[0].line == 3
    assert f"U+{ord(character):04X}" in found[0].message


RENUMBERED = [
    *("#line 7", '#line 7 "x.cu"', '# 7 "x.cu"', "%:line 7", "  #  line 7", "/* a */ # line 7"),
    *("#/* a\n */line 7", "#li\\\nne 7", "#\\\nline 7", 'f(R"(" /*)");\n#line 7\n/* */'),
    *("a = 1'0; \"'/*\";\n#line 7\n/* */", "#line __LINE__"),
]


@pytest.mark.parametrize("directive", RENUMBERED)
def test_a_directive_that_renumbers_lines_is_refused(directive):
    found = refused(f"{OPEN}{directive}\n}}")
    assert "gives the lines after it other numbers" in found[0].message
    assert found[0].line == 2 + directive.partition("#line")[0].count("\n") * (directive[0] in "fa")


@pytest.mark.parametrize(
    "text",
    [
        *("// #line 7", "/*\n#line 7\n# 1 is a heading\n*/", '  printf("\\\n#line 7");'),
        *('  printf(R"(\n#line 7\n)");', "#define line 7", "#pragma unroll 7", "  y[0] = 1'0;"),
    ],
)
def test_what_only_looks_like_such_a_directive_is_none(text):
    assert ".entry k" in compilers.compile_ptx(f"{OPEN}{text}\n;}}").text


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("inside", ["", "\f", "\v", " // \u2028 \u2029", " /* \x0b\x0c */"])
def test_lines_are_counted_alike_by_compiler_and_excerpts(end, inside):
    source = end.join([OPEN.strip() + inside, "  y[0] = 1;" + inside, "  y[1] = a;", "}"])
    found = refused(source)
    assert found[0].line == 3
    assert "y[1] = a;" in errors.shown(found, source)
    assert "> " + "  3 |   y[1] = a;" in excerpt(source, {3: ()}).text


def test_a_byte_order_mark_is_no_part_of_a_source():
    assert ".entry k" in compilers.compile_ptx("\ufeff" + OPEN + "}").text


def test_a_warning_is_no_error():
    compiles("int unused = 3; y[0] = 1.0f;")


def test_an_unknown_header_is_named():
    with pytest.raises(CompileError, match=r"nowhere\.h"):
        compiles("", "#include <nowhere.h>")


def test_a_note_of_a_warning_is_not_told_with_the_error_before_it():
    log = f"""{compilers.SOURCE_NAME}(2): error: identifier "a" is undefined
  y[0] = a;
         ^

/include/cub/reduce.cuh(9): warning #1835-D: attribute does not apply here
  note;
  ^

/include/cub/reduce.cuh(7): note #3196-D: it stands here
          detected during instantiation of "T reduce(T)" at line 1 of {compilers.SOURCE_NAME}
"""
    (found,) = NvrtcLog(log, "\n  y[0] = a;\n").diagnostics()
    assert found.line == 2 and found.notes == ()


@pytest.mark.parametrize(
    ("source", "bare"),
    [
        ("n = 1'000; // one\nm = '/';", "n = 1'000;  \nm = '/';"),
        ('f(R"x(// none)x"); /* " */ g();', 'f(R"x(// none)x");   g();'),
        ('f("/*"); // "\n*/', 'f("/*");  \n*/'),
        ("f(); /* open", "f(); /* open"),
    ],
)
def test_what_looks_like_a_comment_in_a_literal_is_none(source, bare):
    assert without_comments(source) == bare


# --- the cache --------------------------------------------------------------------------------

PRELUDE_USED = OPEN + "  y[0] = floor(threadIdx.x / 2) + log2(blockDim.x) + fmax(2, 3);\n}"


@pytest.fixture
def kept(tmp_path, cache_home):
    """The folder of an empty cache."""
    cache_home(tmp_path / "kept")
    return tmp_path / "kept" / "warpwise"


def anew(code, options=()):
    """As another process would compile."""
    compilers._kept.cache_clear()
    return compilers.compile_ptx(code, options)


def test_the_second_compile_comes_from_the_cache(kept, monkeypatch):
    first = anew(PRELUDE_USED)
    assert len(list(kept.iterdir())) == 1
    with monkeypatch.context() as without:
        without.setattr(type(compilers.chosen()), "compile", None)
        assert anew(PRELUDE_USED) == first
    assert anew(PRELUDE_USED.replace("3", "4")) != first


def test_a_program_does_not_hang_on_where_it_was_compiled(tmp_path, monkeypatch, cache_home):
    programs = set()
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        cache_home(tmp_path / folder)
        program = anew(PRELUDE_USED)
        assert program.files == () and str(tmp_path) not in program.text
        programs.add(program.code)
    assert len(programs) == 1


DAMAGES = {
    "empty": lambda whole: b"",
    "half": lambda whole: whole[: len(whole) // 2],
    "garbage": lambda whole: b"\x80\x04K\x01." * 99,
    "another program": lambda whole: whole.replace(b".entry k", b".entry q"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_entry_is_compiled_again(kept, damage):
    first = anew(PRELUDE_USED)
    (entry,) = kept.iterdir()
    entry.write_bytes(damage(entry.read_bytes()))
    assert anew(PRELUDE_USED) == first
    assert anew(PRELUDE_USED) == first


def test_an_entry_that_is_a_folder_costs_only_time(kept):
    first = anew(PRELUDE_USED)
    (entry,) = kept.iterdir()
    entry.unlink()
    entry.mkdir()
    assert anew(PRELUDE_USED) == first


def test_a_header_of_ones_own_is_read_anew(kept, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    header, texts = tmp_path / "mine.h", []
    for value in ("1", "2"):
        header.write_text(f"__device__ __noinline__ void mine(float* y) {{ *y = {value}; }}")
        code = f'#include "{header}"\n{OPEN}  mine(y);\n}}'
        texts.append(anew(code).text)
    assert texts[0] != texts[1]


def test_a_home_that_cannot_be_written_costs_only_time(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert ".entry k" in compiles("y[0] = 6.0f;").text


def test_lessons_find_the_compilers_at_the_door():
    from grader import compilers as room
    from grader.cuda import compilers as door

    assert door is room
