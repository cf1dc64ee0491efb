// A kernel edited on its slide, judged by `grader demo --live`. Without that server nothing of this
// is seen: the file stays as it is.
const kernels = JSON.parse(document.getElementById("kernels").textContent);
const token = new URLSearchParams(location.search).get("token");

function kernelOf(slide) {
    const marked = slide?.querySelector("[class*='live-kernel-']");
    const found = marked?.className.match(/live-kernel-(\d+)/);
    return found ? kernels[found[1]] : null;
}

function element(name, kind, text = "") {
    const made = document.createElement(name);
    made.className = kind;
    made.textContent = text;
    return made;
}

function editor(slide, kernel) {
    const box = element("div", "live-box");
    const lines = element("pre", "live-lines"), text = element("textarea", "live-text");
    const run = element("button", "live-run", "Run (Ctrl+Enter)");
    const undo = element("button", "live-undo", "Reset");
    const close = element("button", "live-close", "Slide (Esc)");
    const verdict = element("div", "live-verdict");
    const source = element("div", "live-source"), keys = element("div", "live-keys");
    text.spellcheck = false;
    text.setAttribute("aria-label", `The kernel ${kernel.exercise}`);
    verdict.setAttribute("aria-live", "polite");
    source.append(lines, text);
    keys.append(run, undo, close);
    box.append(source, verdict, keys);
    const number = () => {
        lines.textContent = text.value.split("\n").map((_, at) => at + 1).join("\n");
        lines.scrollTop = text.scrollTop;
    };
    const restore = () => { text.value = kernel.source; number(); };
    text.oninput = number;
    text.onscroll = number;
    text.onkeydown = event => {
        if (event.key === "Tab" && !event.shiftKey) {
            event.preventDefault();
            text.setRangeText("    ", text.selectionStart, text.selectionEnd, "end");
            number();
        } else if (event.key === "Enter" && event.ctrlKey) run.click();
        else if (event.key === "Escape") close.click();
        else return;
        event.stopPropagation();
    };
    run.onclick = async () => {
        run.disabled = true;
        verdict.textContent = "Judging…";
        const said = await judged(kernel.exercise, text.value);
        run.disabled = false;
        if (said.html) verdict.innerHTML = said.html; // the grader's own
        else verdict.textContent = said.error;
    };
    undo.onclick = restore;
    close.onclick = () => { slide.classList.remove("live-open"); text.blur(); };
    restore();
    return box;
}

async function judged(exercise, source) {
    try {
        const answer = await fetch("judge", {
            method: "POST",
            headers: { "Content-Type": "application/json", "X-Warpwise-Token": token },
            body: JSON.stringify({ exercise, source }),
        });
        return await answer.json();
    } catch {
        return { error: "Nobody answers any more: start `grader demo --live` again, and open what it says." };
    }
}

function edit() {
    const slide = Reveal.getCurrentSlide(), kernel = kernelOf(slide);
    if (!kernel) return;
    if (!slide.querySelector(":scope > .live-box")) slide.append(editor(slide, kernel));
    slide.classList.add("live-open");
    slide.querySelector(".live-text").focus();
}

if (token && location.protocol.startsWith("http")) {
    document.body.classList.add("live");
    Reveal.addKeyBinding({ keyCode: 69, key: "E", description: "Edit and run the kernel" }, edit);
    Reveal.on("ready", () => {
        for (const slide of Reveal.getSlides().filter(kernelOf)) {
            const button = element("button", "live-edit", "Edit and run (E)");
            button.onclick = edit;
            slide.append(button);
        }
    });
}
