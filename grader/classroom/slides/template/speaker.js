// For whoever presents: S opens a second window with what to say of the slide, what comes next, and
// the time. Keys pressed there turn the slides here.
let speaker = null, began = null;

const notesOf = slide =>
    [...slide.querySelectorAll("aside.notes .jp-MarkdownOutput")].map(one => one.innerHTML).join("") ||
    "<p>Nothing to add.</p>";
const textOf = slide => {
    const copy = slide.cloneNode(true);
    const silent = "aside, style, script, iframe, button, .live-box, .jp-InputPrompt, .jp-OutputPrompt";
    copy.querySelectorAll(silent).forEach(one => one.remove());
    copy.querySelectorAll("div, p, li, th, td, summary, h1, h2, h3").forEach(one => one.append(" "));
    return copy.textContent.replace(/\s+/g, " ").replace(/¶/g, " ").trim().slice(0, 240);
};

function tell() {
    if (!speaker || speaker.closed) return;
    const slides = Reveal.getSlides(), at = slides.indexOf(Reveal.getCurrentSlide());
    const show = (id, what, as = "textContent") => (speaker.document.getElementById(id)[as] = what);
    show("at", `${at + 1} of ${slides.length}`);
    show("now", textOf(slides[at]));
    show("notes", notesOf(slides[at]), "innerHTML");
    show("next", at + 1 < slides.length ? textOf(slides[at + 1]) : "The end.");
}

function tick() {
    if (!speaker || speaker.closed) return;
    const minutes = Math.floor((Date.now() - began) / 60000);
    const seconds = Math.floor((Date.now() - began) / 1000) % 60;
    const passed = `${minutes}:${String(seconds).padStart(2, "0")}`;
    speaker.document.getElementById("time").textContent =
        `${new Date().toTimeString().slice(0, 5)}, ${passed} since the beginning`;
}

function present() {
    speaker = window.open("", "warpwise-speaker", "width=900,height=760");
    if (!speaker) return;
    began ??= Date.now();
    speaker.document.title = `Notes: ${document.title}`;
    speaker.document.body.innerHTML = `
        <style>
            body { font: 20px/1.45 system-ui, sans-serif; margin: 1.2rem 1.6rem; color: #212121; background: #fff }
            h2 { font-size: 1rem; color: #616161; margin: 1.2rem 0 .2rem } p, ul { margin: .4rem 0 }
            header { display: flex; justify-content: space-between; color: #616161 }
            #notes { font-size: 1.25rem } #now, #next { color: #424242 } code { font-size: .95em }
        </style>
        <header><span id="at"></span><span id="time"></span></header>
        <h2>Now</h2><div id="now"></div><h2>Notes</h2><div id="notes"></div><h2>Next</h2><div id="next"></div>`;
    speaker.document.onkeydown = event => {
        if (["ArrowRight", "ArrowDown", " ", "PageDown"].includes(event.key)) Reveal.next();
        if (["ArrowLeft", "ArrowUp", "PageUp"].includes(event.key)) Reveal.prev();
    };
    tell();
    tick();
}

Reveal.addKeyBinding({ keyCode: 83, key: "S", description: "Notes for whoever presents" }, present);
Reveal.on("slidechanged", tell);
setInterval(tick, 1000);
