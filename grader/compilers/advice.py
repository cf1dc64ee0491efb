"""A compiler's error in a newcomer's words: what it usually comes from, where that can be seen.

A compiler tells what it could not read; who comes from Python needs to hear what C++ wants there.
Each rule looks at the sentence, in NVRTC's or clang's words, and at the line; what is not sure
from these two stays unsaid.
"""

import re
from dataclasses import replace
from difflib import get_close_matches

from ..cuda.errors import Diagnostic, Note, lines_of


def advised(errors: tuple[Diagnostic, ...], source: str) -> tuple[Diagnostic, ...]:
    """The errors, the first of them with our advice as its first note, if there is one."""
    lines = _without_comments(source)
    for error in errors[:1]:
        if said := _advice(error, lines):
            # NVRTC lists all operators that are none: nothing is left to find out there.
            rest = [note for note in error.notes if not note.message.startswith("built-in ")]
            return replace(error, notes=(Note(said), *rest)), *errors[1:]
    return errors


def doubtful(source: str) -> tuple[Diagnostic, ...]:
    """A warning of ours for each line with a power that C++ takes for an exclusive or, and for each
    that calls a function and does not use what it returns."""
    lines = _without_comments(source)
    returning = {
        function
        for kind, function in re.findall(
            r"__device__[^;{}()]*?(\w+)[\s*&]+(\w+)\s*\(", "\n".join(lines)
        )
        if kind != "void"
    }
    found, before = list[Diagnostic](), ";"
    for number, line in enumerate(lines, 1):
        if power := re.search(r"(?<![\w.])(?:2|10) ?\^ ?\w+", line):
            found.append(
                Diagnostic(
                    f"`{power[0]}` is an exclusive or in C++, not a power. 2 to the power k is "
                    "`1 << k`.",
                    number,
                )
            )
        call = (
            re.fullmatch(r"\s*(\w+)(?:<[^;()]*>)?\s*\([^;]*\);\s*", line)
            if re.search(r"[;{}]\s*$|^\s*(?:if|for|while|else)\b", before)
            else None
        )
        before = line if line.strip() else before
        if call and (call[1] in returning or call[1].startswith("__shfl_")):
            found.append(
                Diagnostic(
                    f"The result of `{call[1]}` is not used: a call does not change its argument.",
                    number,
                )
            )
    return tuple(found)


def _without_comments(source: str) -> list[str]:
    return [line.partition("//")[0] for line in lines_of(source)]


def _advice(error: Diagnostic, lines: list[str]) -> str:
    line = lines[error.line - 1] if lines else ""
    if unknown := _UNKNOWN.match(error.message):
        return _of_a_name(unknown[1] or unknown[2], error, lines)
    if re.match(r"""expected (?:a ";"|';' )""", error.message):
        return _of_a_semicolon(error, lines)
    return _of_a_declaration(error, lines) or next(
        (
            advice.format(found[0], *found.groups())
            for says, has, advice in RULES
            if says.search(error.message) and (found := has.search(line))
        ),
        "",
    )


# ---- words of CUDA C++ that a misspelled one may be meant for, and of other languages ----

IDENTIFIER = re.compile(r"[A-Za-z_]\w*")

_WORDS = """
threadIdx blockIdx blockDim gridDim warpSize __global__ __device__ __shared__ __constant__
__restrict__ __launch_bounds__ __forceinline__ __syncthreads __syncwarp __threadfence
__threadfence_block __activemask __ballot_sync __any_sync __all_sync __shfl_sync
__shfl_up_sync __shfl_down_sync __shfl_xor_sync __reduce_add_sync __reduce_max_sync
__reduce_min_sync atomicAdd atomicSub atomicMax atomicMin atomicExch atomicCAS atomicInc
atomicOr atomicAnd fmaxf fminf fabsf expf exp2f logf log2f sqrtf rsqrtf powf fmaf __expf __logf
__fdividef __ldg printf INFINITY NAN nullptr true false const constexpr static extern template
typename struct union return continue break while switch double int float float2 float4 half
unsigned size_t void bool char short signed reinterpret_cast static_cast sizeof pragma unroll
"""
BUILT_IN = frozenset(IDENTIFIER.findall(_WORDS))

# What a name that nothing declares was meant to be, by the name.
ELSEWHERE = (
    dict.fromkeys(
        ("print", "cout", "cerr", "endl", "println"),
        'In a kernel, print with `printf("%f\\n", value)`.',
    )
    | dict.fromkeys(
        ("np", "numpy", "math", "torch", "cp", "cupy", "import"),
        (
            "Python's modules are not available in a kernel. CUDA has functions such as `sqrtf`, "
            "`expf`, `fmaxf`."
        ),
    )
    | dict.fromkeys(
        ("__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__ballot", "__any", "__all"),
        "Since CUDA 9 its name ends in `_sync`, and its first argument is the mask of the lanes "
        "that take part: `0xffffffff` for all 32.",
    )
    | {
        word: f"`__{word}__` is written with two underscores on either side."
        for word in ("global", "device", "shared")
    }
    | {
        "None": "In C++ it is `nullptr`.",
        "True": "In C++ it is `true`.",
        "False": "In C++ it is `false`.",
        "inf": "In CUDA it is `INFINITY`.",
        "nan": "In CUDA it is `NAN`.",
        "let": "C++ needs a type: `int i = ...`, `float sum = ...`.",
        "var": "C++ needs a type: `int i = ...`, `float sum = ...`.",
        "def": "A function begins with the type of what it returns: `__device__ float f(float x)`.",
        "elif": "In C++ it is `else if`.",
        "range": "In C++ a loop is `for (int i = 0; i < n; i++) {`.",
        "len": "A pointer does not know the length of its array. Use a parameter, such as `n`.",
        "syncthreads": "It is `__syncthreads()`, with two underscores in front.",
        "syncwarp": "It is `__syncwarp()`, with two underscores in front.",
    }
)


# ---- names that nothing declares ----

_UNKNOWN = re.compile(
    r"""(?:identifier\ "(\w+)"\ is\ undefined
    |(?:use\ of\ undeclared\ identifier|unknown\ type\ name)\ '(\w+)'(?!;))""",
    re.VERBOSE,
)
_TYPES = "int|float|double|unsigned|size_t|bool|auto|char|short|long|float2|float4|half"


def _of_a_name(name: str, error: Diagnostic, lines: list[str]) -> str:
    line = lines[error.line - 1]
    if name in ELSEWHERE:
        return ELSEWHERE[name]
    if re.match(rf"\s*{name}\s*=[^=]", line):
        return f"C++ needs a type where a name is first used: `int {name} = ...`."
    declared = re.compile(rf"\b(?:{_TYPES})\b[\s*&]+{name}\b")
    declaring = ((number, text) for number, text in enumerate(lines, 1) if declared.search(text))
    for number, text in (one for one in declaring if one[0] != error.line):
        if number > error.line:
            return f"`{name}` is declared on line {number}. It does not exist before that line."
        return (
            f"The loop on line {number} ends at its `;`. It does not repeat what follows."
            if re.match(r"\s*for\s*\([^;]*;[^;]*;[^;]*\)\s*;\s*$", text)
            else f"`{name}` is declared on line {number}. It exists only in the braces, the loop "
            "or the function that line is in. If you need it here too, declare it before them."
        )
    own = set(IDENTIFIER.findall(" ".join(re.sub(r'"[^"]*"', "", line) for line in lines))) - {name}
    by_case = {word.lower(): word for word in sorted(BUILT_IN | own)}
    close = get_close_matches(name.lower(), by_case, n=1, cutoff=0.8)
    return f"Do you mean `{by_case[close[0]]}`?" if close else ""


# ---- a semicolon ----


def _of_a_semicolon(error: Diagnostic, lines: list[str]) -> str:
    """NVRTC reports the next word, clang the place where the semicolon belongs."""
    above = next((n for n in range(error.line - 1, 0, -1) if lines[n - 1].strip()), 0)
    for at in (error.line, above):
        line = lines[at - 1]  # spaces in place of a comment
        if line != line.rstrip() and line.count("(") > line.count(")"):
            return f"Line {at} ends for the compiler after `{line.strip()}`: the rest is a comment."
    before = lines[error.line - 1][: error.column or 0].strip()
    if before and not lines[error.line - 1][error.column or 0 :].strip():
        return f"Line {error.line} has no `;` at its end."
    return (
        ""
        if before or not above or lines[above - 1].rstrip().endswith((";", "{", "}", ":"))
        else f"Line {above} has no `;` at its end. So the compiler reads on into the next line."
    )


# ---- what a name was declared as ----

_DECLARED_AS = tuple(
    (re.compile(says), re.compile(used), declared, advice)
    for says, used, declared, advice in (
        (
            r"modifiable lvalue|read-only variable|const-qualified",
            r"(?<![.\w])(\w+)\s*(?:\[[^\]]*\]\s*)?[-+*/%&|^]?=(?!=)",
            r"\bconst\b[^;,()]*\b{0}\b",
            "`{0}` is declared `const` on line {1}. You may read it, but not write it.",
        ),
        (
            r"must have pointer-to-object type|is not an array",
            r"\b(\w+)\s*\[",
            rf"\b(?:{_TYPES})\s+{{0}}\b(?!\s*\[)",
            "`{0}` is declared on line {1} as a single value. Declare an array as a "
            "pointer, `float* {0}`, or with its length, `float {0}[256]`.",
        ),
        (
            r"must have (?:pointer-to-)?class type|is not a structure",
            r"\b(\w+)\s*(?:\.|->)",
            r"\*\s*(?:__restrict__\s+)?{0}\b",
            "`{0}` is a pointer (line {1}). One of its elements is `{0}[i]`.",
        ),
    )
)


def _of_a_declaration(error: Diagnostic, lines: list[str]) -> str:
    """What does not suit how a name on the error's line was declared, as far as that is found."""
    for says, used, declared, advice in _DECLARED_AS:
        for name in used.findall(lines[error.line - 1]) if says.search(error.message) else []:
            pattern = re.compile(declared.format(name))
            if number := next((n for n, text in enumerate(lines, 1) if pattern.search(text)), 0):
                return advice.format(name, number)
    return ""


# ---- all else ----

_POINTER = "`{1}` is a pointer to a whole array. One of its elements is `{1}[i]`."
_RESULTS = (
    "A kernel, like every `void` function, returns nothing. It writes its results through its "
    "pointers."
)

# What an error's sentence says, what its line has, and our advice, in which {0} stands for what the
# line matched, {1} and so on for its groups.
RULES = tuple(
    (re.compile(says), re.compile(has), advice)
    for says, has, advice in (
        (
            r"dim3|uint3|__cuda_\w+",
            r"\b(threadIdx|blockIdx|blockDim|gridDim)\b(?!\s*\.)",
            "`{1}` has three parts: write `{1}.x`, or `.y` or `.z`.",
        ),
        (
            r"expected (a \"\(\"|'\(')",
            r"\bfor\s+\w+\s+in\b",
            "In C++ a loop is `for (int i = 0; i < n; i++) {{`.",
        ),
        (
            r"expected (a \"\(\"|'\(')",
            r"\b(if|while|for)\b\s*[^\s(]",
            "In C++ the condition of `{1}` is in parentheses: `{1} (...) {{`.",
        ),
        (
            r"expected (an )?expression",
            r":\s*$",
            "In C++ a block of statements is in braces, `{{` and `}}`, not after a colon.",
        ),
        (
            r"directive",
            r"^\s*#",
            "A comment begins with `//` in C++; `#` begins a directive, such as `#pragma unroll`.",
        ),
        (
            r"operand of \"\*\" must be a pointer|indirection requires pointer",
            r"\*\*",
            "C++ has no `**`: multiply, or call `powf(a, b)`.",
        ),
        (
            r"integral|invalid operands to binary",
            r"\^",
            "`^` is the exclusive or of two integers. A power is `powf(a, b)`.",
        ),
        (
            r"integral|invalid operands to binary",
            r"[\w)\]]\s*%\s*[\w(]",
            "`%` takes only integers. The remainder of two floats is `fmodf(a, b)`.",
        ),
        (
            r"value of type \"[^\"]*\*\" cannot be (assigned|used)[^\"]*\"[^*\"]*\""
            r"|(to|initializing) '[^*']*' .*incompatible type '[^']*\*'",
            r"=\s*(\w+)\s*;",
            _POINTER,
        ),
        (
            r"value of type \"[^*\"]*\" cannot be (assigned|used)[^\"]*\"[^\"]*\*\""
            r"|(to|initializing) '[^']*\*' .*incompatible type '[^*']*'",
            r"^\s*(\w+)\s*=",
            _POINTER,
        ),
        (
            r"apparent call must have|is not a function or function pointer",
            r"\b(\w+)\s*\(\s*(\w+)\s*\)",
            "Parentheses call a function. An element of an array is `{1}[{2}]`.",
        ),
        (
            r"constant value|variable-length arrays",
            r"\[[^\]]*[a-zA-Z]",
            "The compiler must know the length of an array: a number, a constexpr or a template's "
            "parameter. Only shared memory can be `extern __shared__ float all[];`, whose length "
            "the launch gives.",
        ),
        (
            r"initiali[sz](er|ation).*__shared__",
            "",
            "Shared memory cannot have initial values. Let each thread write its element, and put "
            "a `__syncthreads()` before others read it.",
        ),
        (
            r"expression( result)? (has no effect|unused)|must be directly called",
            r"^\s*(\w+)\s*;",
            "This line only names `{1}`. To call it write `{1}();`.",
        ),
        (
            r"has no effect|comma operator",
            r"\[([^\[\],]*),\s*([^\[\]]*)\]",
            "`[{1}, {2}]` means `[{2}]`: C++ ignores the part before the comma. An element of "
            "two dimensions is at `row * columns + column`.",
        ),
        (
            r"expression( result)? (has no effect|unused)|comparison result unused",
            r"(\w+(?:\[[^\]]*\])?)\s*(==|[-+*/])\s*[^;=]+;",
            "`{2}` computes a result that nothing uses. `=`, `+=` and the like change `{1}`.",
        ),
        (
            r"comparison of unsigned",
            "",
            "An unsigned integer is never below 0. Use an `int` to count down to 0.",
        ),
        (r"must have a?\s*void return type", "", _RESULTS),
        (r"return value type does not match", r"\breturn\b", _RESULTS),
        (
            r"function without execution space",
            "",
            "Write `__global__` in front of a kernel, and `__device__` in front of a function that "
            "a kernel calls.",
        ),
        (
            r"variable without memory space",
            "",
            "This declaration is outside of every kernel. Declare the variable between the braces "
            "of the kernel, or write `constexpr` in front of it if it never changes.",
        ),
        (
            r"function.*\"?__shfl\w*_sync|function.*__reduce_\w+_sync|function.*__ballot_sync",
            r"\b(__\w+_sync)\s*\(\s*(?!0x|FULL|\w*[mM]ask)",
            "The first argument of `{1}` is the mask of the lanes that take part: `0xffffffff` for "
            "all 32.",
        ),
        (
            r"function.*\"?atomic[A-Z]\w+",
            r"\b(atomic[A-Z]\w+)\s*\(\s*([^&,]+?)\s*,",
            "The first argument of `{1}` is an address: `&{2}`.",
        ),
        (
            r"cast(s)? away",
            "",
            "This pointer is a pointer to const. Cast it to another pointer to const, such as "
            "`const float4*`.",
        ),
        (
            r"already been declared|redefinition of",
            "",
            "A type before a name declares a new variable. To give the old variable another value, "
            "write no type.",
        ),
        (
            r"explicit type is missing|unknown type name",
            r"\b(global|device|shared)\b",
            "`__{1}__` is written with two underscores on either side.",
        ),
        (
            r"namespace \"std\" has no member|in namespace 'std'",
            "",
            "The standard library of the host is not available in a kernel. Print with `printf`. "
            "`cuda::std` has the parts of the library that run on a GPU.",
        ),
    )
)


# ---- what CUDA has beside kernels, and is not here ----

TEXTURES = (
    "textures and surfaces are not available: the launch cannot make one. Pass the array as "
    "a pointer to const, and compute the index yourself"
)
# What tells it in a compiler's message or in the line that this is about, and what it is.
_SIGNS = (
    (
        re.compile(r"\bcurand(State|_|Generator|StatePhilox)\w*|curand_kernel\.h"),
        (
            "the random numbers of cuRAND (`curand_kernel.h`) are not available. Write a short "
            "generator for each thread, such as a hash of the seed and the thread's index, or fill "
            "an array with random numbers before the launch and pass it"
        ),
    ),
    (
        re.compile(r"\bthrust(::|/)|\"thrust\"|\bthrust\b.*\bnamespace\b"),
        (
            "Thrust is not available: its algorithms and vectors run on the host, and launch their "
            "own kernels. Here only kernels run. Write the loop, the reduction or the scan "
            "yourself, or use cub's block and warp collectives (`cub/cub.cuh`)"
        ),
    ),
    (re.compile(r"\btexture\b(?=\s*<| is not a template)|\btex([123]D|Cubemap)\w*"), TEXTURES),
    (re.compile(r"\bsurface\b(?=\s*<| is not a template)|\bsurf([123]D|Cubemap)\w*"), TEXTURES),
    (
        re.compile(r"device-side kernel launch|kernel launch from __device__"),
        (
            "kernels that launch kernels (dynamic parallelism) are not available: only the host "
            "launches. Call a __device__ function, or let the threads of this launch share the work"
        ),
    ),
)


def named(error: Diagnostic, lines: list[str]) -> Diagnostic:
    """The error, or what it comes from where that is something that is not here."""
    text = f"{error.message}\n{lines[error.line - 1] if lines else ''}"
    return next(
        (Diagnostic(sentence, error.line) for sign, sentence in _SIGNS if sign.search(text)), error
    )
