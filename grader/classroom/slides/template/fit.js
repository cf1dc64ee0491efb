// What is taller than a slide after all is shown smaller, as a whole.
function fit(slide) {
    if (!slide || slide.querySelector(":scope > section")) return;
    let body = slide.querySelector(":scope > .fitted");
    if (!body) {
        body = document.createElement("div");
        body.className = "fitted";
        body.append(...slide.childNodes);
        slide.append(body);
    }
    body.style.zoom = 1;
    const room = 690;
    for (let tries = 0; tries < 3 && body.getBoundingClientRect().height / Reveal.getScale() > room; tries++)
        body.style.zoom *= room / (body.getBoundingClientRect().height / Reveal.getScale());
}
Reveal.on("ready", event => fit(event.currentSlide));
Reveal.on("slidechanged", event => fit(event.currentSlide));
Reveal.initialize({
    width: 1280, height: 720, margin: 0.01, center: false, display: "block",
    transition: "none", slideNumber: "c/t", hash: true,
});
