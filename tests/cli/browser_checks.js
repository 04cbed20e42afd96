// Looks at a page in a frame, as tests/cli/test_browser.sh puts it there, and writes one line a check into the document:
// "ok - NAME" or "not ok - NAME: WHY". The frame is of the same origin (srcdoc), so its layout can be measured.
"use strict";
const lines = [];
const errors = [];
window.addEventListener("error", (e) => errors.push(e.message));

function check(name, problems) {
    const found = problems.slice(0, 3).join("; ");
    lines.push(problems.length ? `not ok - ${name}: ${found}` : `ok - ${name}`);
}

// Relative luminance and contrast after WCAG 2.
function channel(c) {
    c /= 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}
function parse(colour) {
    const n = colour.match(/[\d.]+/g).map(Number);
    return { rgb: n.slice(0, 3), alpha: n.length > 3 ? n[3] : 1 };
}
function luminance([r, g, b]) {
    return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
}
function behind(element, view) {
    for (let e = element; e; e = e.parentElement) {
        const ground = parse(view.getComputedStyle(e).backgroundColor);
        if (ground.alpha === 1) return ground.rgb;
    }
    return [255, 255, 255];
}
function contrast(element, view) {
    const style = view.getComputedStyle(element);
    const inSvg = element.ownerSVGElement !== undefined && element.ownerSVGElement !== null;
    const ink = luminance(parse(inSvg ? style.fill : style.color).rgb);
    const ground = luminance(behind(inSvg ? element.ownerSVGElement : element, view));
    return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
}

function ownText(element) {
    return [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
}
function shown(element) {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0;
}

function look(frame, width, scheme) {
    const view = frame.contentWindow, page = frame.contentDocument;
    const name = `${frame.dataset.page}_${scheme}_${width}`;
    const texts = [...page.body.querySelectorAll("*")].filter(
        (e) => ownText(e) && shown(e) && !["TITLE", "DESC"].includes(e.tagName.toUpperCase()));

    check(`${name}_has_content`, texts.length > 40 ? [] : [`${texts.length} texts`]);
    check(`${name}_does_not_overflow`, page.documentElement.scrollWidth <= width
        ? [] : [`${page.documentElement.scrollWidth} px wide`]);
    check(`${name}_tables_fit`, [...page.querySelectorAll(".scroll")]
        .filter((e) => e.scrollWidth > e.clientWidth + 1 && e.querySelector("table:not(.left)"))
        .map((e) => `${e.scrollWidth} in ${e.clientWidth} px`));
    check(`${name}_text_is_large_enough`, texts.filter((e) => {
        const size = parseFloat(view.getComputedStyle(e).fontSize);
        const svg = e.ownerSVGElement;
        const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
        return size * scale < 10;
    }).map((e) => e.textContent.slice(0, 30)));
    check(`${name}_contrast_is_enough`, texts.filter((e) => contrast(e, view) < 4.5)
        .map((e) => `${e.textContent.slice(0, 30)} ${contrast(e, view).toFixed(2)}`));
    check(`${name}_pictures_hold_their_text`, [...page.querySelectorAll("figure svg text")].filter((e) => {
        const a = e.getBoundingClientRect(), b = e.ownerSVGElement.getBoundingClientRect();
        return a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 1 || a.bottom > b.bottom + 1;
    }).map((e) => e.textContent));
    check(`${name}_names_of_ticks_do_not_touch`, [...page.querySelectorAll("figure svg")].filter((svg) => {
        const boxes = [...svg.querySelectorAll("text")].map((e) => e.getBoundingClientRect());
        return boxes.some((a, i) => boxes.some((b, j) => j > i && a.left < b.right - 1 && b.left < a.right - 1
            && a.top < b.bottom - 3 && b.top < a.bottom - 3));
    }).map((svg) => svg.querySelector("title").textContent));
    check(`${name}_pictures_are_described`, [...page.querySelectorAll("svg")].filter((svg) =>
        svg.getAttribute("aria-hidden") !== "true" && !(svg.querySelector("title") || {}).textContent)
        .map((svg) => svg.outerHTML.slice(0, 60)));
    check(`${name}_table_heads_have_a_scope`, [...page.querySelectorAll("th:not([scope])")].map((e) => e.textContent));
    const ids = [...page.querySelectorAll("[id]")].map((e) => e.id);
    check(`${name}_ids_are_unique`, ids.filter((id, i) => ids.indexOf(id) !== i));
    check(`${name}_loads_nothing`, view.performance.getEntriesByType("resource").map((r) => r.name));
    check(`${name}_scheme_is_honoured`, (luminance(behind(page.body, view)) < 0.2) === (scheme === "dark")
        ? [] : [view.getComputedStyle(page.body).backgroundColor]);
}

window.addEventListener("load", () => {
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    for (const frame of document.querySelectorAll("iframe")) look(frame, frame.clientWidth, dark);
    check(`no_script_error_${dark}`, errors);
    document.documentElement.replaceChildren(
        Object.assign(document.createElement("pre"), { textContent: lines.join("\n") }));
});
