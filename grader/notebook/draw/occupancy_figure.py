"""draw.occupancy: what a multiprocessor holds, with its resources to be dragged."""

from html import escape

from grader.counted import counted
from grader.cuda import occupancy as calculator
from grader.cuda.limits import DEFAULT, REGISTERS, architecture

from ..cards import TEXT, Page, unless_escaped
from ..failures import Notice

THREADS = (32, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
REGISTER_STEPS = range(16, 256, 8)
SHARED_STEP = 4  # KB
_DIGITS = "0123456789abcdefghijklmnopqrstuvw"  # a number of blocks, 0 to 32, each
_HEIGHT = 200  # pixels

# The blocks stand in a table, made here, so that the rules are written down once.
_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><style>
body {{ margin: 0; font: 14px/1.5 system-ui, sans-serif; color: #212121; background: transparent; }}
label {{ display: grid; grid-template-columns: 15em 1fr 6em; gap: 1em; align-items: center;
  max-width: 46em; }}
output {{ text-align: right; font-variant-numeric: tabular-nums; }}
#warps {{ display: grid; grid-template-columns: repeat(32, 1fr); gap: 2px; max-width: 46em;
  margin: 12px 0 6px; }}
#warps i {{ height: 22px; border: 1px solid #888; border-radius: 2px; }}
#warps i.even {{ background: #0072b2; }} #warps i.odd {{ background: #e69f00; }}
</style></head><body>
<label>threads per block <input id="t" type="range" min="0" max="{most_t}" value="{t}">
<output></output></label>
<label>registers per thread <input id="r" type="range" min="0" max="{most_r}" value="{r}">
<output></output></label>
<label>shared memory per block, KB <input id="s" type="range" min="0" max="{most_s}" value="{s}">
<output></output></label>
<div id="warps" role="img"></div><p id="said" aria-live="polite"></p>
<script>
const TABLE = "{table}", THREADS = {threads}, R = {registers}, MOST = {warps};
const inputs = [..."trs"].map((id) => document.getElementById(id));
const shared = (n) => Math.min(n * {step}, {most_shared});
function show() {{
  const [t, r, s] = inputs.map((one) => +one.value), w = Math.ceil(THREADS[t] / 32);
  const blocks = parseInt(TABLE[(t * R.length + r) * {rows} + s], 36);
  [THREADS[t], R[r], shared(s)].forEach((n, k) => {{ inputs[k].nextElementSibling.value = n; }});
  const held = blocks * w, map = document.getElementById("warps");
  map.innerHTML = Array.from({{ length: MOST }}, (_, k) =>
    `<i class="${{k >= held ? "" : Math.floor(k / w) % 2 ? "odd" : "even"}}"></i>`).join("");
  const taken = (held * 32 * R[r]).toLocaleString("en");
  const used = `${{taken}} of {all_registers} registers and `
    + `${{blocks * shared(s)}} of {all_shared} KB in use`;
  const many = blocks > 1 ? "s" : "";
  const text = blocks ? `${{blocks}} block${{many}}, ${{held}} of ${{MOST}} warps: `
    + `occupancy ${{Math.round(100 * held / MOST)}} %; ${{used}}.` : "No block fits.";
  document.getElementById("said").textContent = text;
  map.setAttribute("aria-label", text);
}}
function ink() {{
  try {{ document.body.style.color = getComputedStyle(window.frameElement.parentElement).color; }}
  catch {{ return; }}
}}
inputs.forEach((one) => one.addEventListener("input", show));
show(); ink();
try {{  // its text twin
  window.frameElement.parentElement.nextElementSibling.hidden = true;
}} catch {{}}
try {{
  new MutationObserver(ink).observe(parent.document.body, {{ attributes: true }});
}} catch {{}}
</script></body></html>"""


def occupancy(threads: int = 256, registers: int = 32, shared: int = 0) -> Page:
    """The warps that a multiprocessor of an H200 holds at once, for blocks of so many threads,
    registers per thread, and bytes of shared memory per block; drag each of them. The steps nearest
    to the given numbers come first."""
    try:
        held = calculator.occupancy(threads, registers, shared)
    except ValueError as error:
        raise Notice(f"There are no such blocks: {error}.") from None
    most = architecture(DEFAULT).shared // 1024
    kilobytes = [*range(0, most, SHARED_STEP), most]
    inside = _PAGE.format(
        table=_table(kilobytes),
        threads=list(THREADS),
        registers=list(REGISTER_STEPS),
        warps=held.most_warps,
        rows=len(kilobytes),
        step=SHARED_STEP,
        most_shared=kilobytes[-1],
        most_t=len(THREADS) - 1,
        most_r=len(REGISTER_STEPS) - 1,
        most_s=len(kilobytes) - 1,
        t=_nearest(THREADS, threads),
        r=_nearest(REGISTER_STEPS, registers),
        s=_nearest(kilobytes, shared / 1024),
        all_registers=f"{REGISTERS:,}",
        all_shared=most,
    )
    text = (
        f"Blocks of {counted(threads, 'thread')}, {counted(registers, 'register')} a thread, "
        f"{counted(shared, 'byte')} of shared memory per block: {counted(held.blocks, 'block')}, "
        f"{held.warps} of {counted(held.most_warps, 'warp')}, "
        f"limited by {' and '.join(held.limited_by)}."
    )
    frame = (
        f'<iframe title="occupancy" srcdoc="{escape(inside)}" width="100%" height="{_HEIGHT}" '
        'style="border: 0; display: block; min-width: 0; color-scheme: normal"></iframe>'
    )
    return Page(
        f'<div style="color: {TEXT}">{unless_escaped(frame)}<p>{escape(text)}</p></div>', text
    )


def _table(kilobytes: list[int]) -> str:
    """How many blocks there are, a digit each: threads, then registers, then shared memory."""
    return "".join(
        _DIGITS[calculator.occupancy(threads, registers, 1024 * shared).blocks]
        for threads in THREADS
        for registers in REGISTER_STEPS
        for shared in kilobytes
    )


def _nearest(steps: range | tuple[int, ...] | list[int], wanted: float) -> int:
    return min(range(len(steps)), key=lambda at: abs(steps[at] - wanted))
