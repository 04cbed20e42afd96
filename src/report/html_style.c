/* The style sheet of the pages.
 *
 * Two sets of colours, by the reader's preference; blue, vermilion and grey stay apart for every
 * common kind of colour blindness and in print, and each also has its own stroke or shape. All text
 * has a contrast of at least 4.5 to what lies behind it. Sizes follow the reader's font size; the
 * grid falls from three columns to one. On paper: light colours, no shadows, cards kept whole. */
#include "report/html.h"

const char *const pdpr_i_html_style[] = {
    ":root{--ground:#f4f6f8;--card:#fff;--ink:#18212d;--soft:#55616f;--rule:#d9dfe6;"
    "--original:#0b5fa5;--synthetic:#c4480c;--null:#6a7480;--red:#ad1519;--on-red:#fff;"
    "--good:#0a6b4a;--good-ground:#e2f3ec;--rough:#7d5200;--rough-ground:#fdf1d7;"
    "--not:#9b1c1c;--not-ground:#fbe6e4;--none-ground:#eceff3}\n",
    "@media (prefers-color-scheme:dark){:root{--ground:#0f141b;--card:#18202a;--ink:#e7edf4;"
    "--soft:#a6b2c0;--rule:#2f3a47;--original:#6bb3f8;--synthetic:#ff9a5c;--null:#98a4b1;"
    "--red:#b3161b;--on-red:#fff;--good:#6fdcae;--good-ground:#12382b;--rough:#f5c562;"
    "--rough-ground:#3b2d0d;--not:#ff9d94;--not-ground:#431b1b;--none-ground:#26303b}}\n",
    "*{box-sizing:border-box}html{-webkit-text-size-adjust:100%}"
    "body{margin:0;background:var(--ground);color:var(--ink);line-height:1.5;"
    "font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",\"Liberation Sans\","
    "\"DejaVu Sans\",sans-serif}\n",
    "main{max-width:1200px;margin:0 auto;padding:1.75rem 1.25rem 1rem}"
    "footer{max-width:1200px;margin:0 auto;padding:0 1.25rem 1.5rem;color:var(--soft);"
    "font-size:.8125rem}"
    ".band{margin:0;padding:.55rem 1.25rem;background:var(--red);color:var(--on-red);"
    "font-size:.875rem;text-align:center}"
    ".band strong{letter-spacing:.14em;margin-right:.5em}.public .band{background:#0a6b4a}"
    ".band[role]{position:sticky;top:0;z-index:1}\n",
    "h1{font-size:clamp(1.45rem,1.1rem + 1.6vw,2.1rem);line-height:1.2;margin:.15rem 0 .5rem;"
    "letter-spacing:-.015em;text-wrap:balance}"
    "h2{font-size:1.125rem;line-height:1.3;margin:0 0 .35rem}"
    "h3{font-size:.95rem;margin:0 0 .1rem}"
    "p{margin:0 0 .7rem}p:last-child{margin-bottom:0}"
    ".over{margin:0;color:var(--soft);font-size:.8125rem;letter-spacing:.02em}"
    ".lead{color:var(--soft);max-width:62rem;overflow-wrap:anywhere}"
    ".small{font-size:.8125rem;color:var(--soft)}section{margin-top:1.1rem}\n",
    ".card{background:var(--card);border:1px solid var(--rule);border-radius:12px;"
    "padding:1.05rem 1.15rem;min-width:0}"
    ".two{display:grid;gap:1.1rem;margin-top:1.1rem;grid-template-columns:minmax(0,1.75fr) minmax(0,1fr);"
    "align-items:start}.two section{margin-top:0}.two div section+section{margin-top:1.1rem}"
    ".figures{display:grid;gap:1.1rem;margin-top:1.1rem;"
    "grid-template-columns:repeat(auto-fill,minmax(min(100%,340px),1fr))}"
    "@media (max-width:900px){.two{grid-template-columns:minmax(0,1fr)}}"
    "@media (max-width:520px){main{padding:1rem .7rem}.card{padding:.8rem .8rem;"
    "border-radius:10px}.band{padding:.5rem .8rem;text-align:left}footer{padding:0 .8rem "
    "1rem}}\n",
    ".verdict{list-style:none;margin:.2rem 0 .8rem;padding:0}"
    ".verdict li{display:grid;grid-template-columns:7.1rem minmax(0,1fr) auto;gap:.1rem .8rem;"
    "align-items:center;padding:.5rem 0;border-top:1px solid var(--rule)}"
    ".verdict li:first-child{border-top:0}.verdict b{font-weight:600;display:block}"
    ".verdict .small{display:block}"
    ".verdict .off{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    "@media (max-width:520px){.verdict li{grid-template-columns:minmax(0,1fr) auto}"
    ".verdict .what{grid-column:1/-1;grid-row:2}}\n",
    ".light{display:inline-flex;align-items:center;gap:.4rem;border-radius:99px;"
    "padding:.14rem .65rem .14rem .4rem;font-weight:650;font-size:.875rem;white-space:nowrap;"
    "width:max-content}.light svg{width:1.15rem;height:1.15rem;flex:none}"
    ".good{color:var(--good);background:var(--good-ground)}"
    ".rough{color:var(--rough);background:var(--rough-ground)}"
    ".not{color:var(--not);background:var(--not-ground)}"
    ".none{color:var(--soft);background:var(--none-ground)}\n",
    "table{border-collapse:collapse;width:100%;font-size:.9rem;"
    "font-variant-numeric:tabular-nums}.light.lone{margin:.2rem 0 0}"
    "th,td{padding:.42rem .6rem;border-top:1px solid var(--rule);text-align:right;"
    "vertical-align:baseline}td.scale{vertical-align:middle}th:first-child,td:first-child{text-align:left;padding-left:0}"
    "th:last-child,td:last-child{padding-right:0}"
    "thead th{border-top:0;color:var(--soft);font-weight:600;font-size:.8125rem;"
    "vertical-align:bottom}tbody th{font-weight:600}td .small,th .small{display:block;"
    "font-weight:400}.strip{width:100%;max-width:250px;min-width:130px;height:18px;display:block;"
    "margin-left:auto}.left td,.left th{text-align:left;overflow-wrap:anywhere}"
    "td.hash{font-family:ui-monospace,\"DejaVu Sans Mono\",monospace;font-size:.75rem}\n",
    "@media (max-width:640px){.wide{display:none}th,td{padding:.4rem .22rem}table{font-size:"
    ".8125rem}.compact .small{display:none}.compact table,.compact thead "
    "th{font-size:.72rem}.compact table{line-height:1.35}.compact thead th{font-size:.6875rem}.compact th,.compact td{padding:.4rem .13rem}}"
    ".scroll{overflow-x:auto}"
    "dl{display:grid;grid-template-columns:auto minmax(0,1fr);gap:.25rem .9rem;margin:0 0 .7rem}"
    "dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}"
    ".note{font-size:.8125rem;color:var(--soft)}ul.plain{margin:0;padding-left:1.1rem}ul.plain li{margin:.25rem 0}"
    ".promise{font-size:1.3rem;font-weight:650;letter-spacing:-.01em;margin-bottom:.3rem}\n",
    "figure{margin:0}figure svg{width:100%;height:auto;display:block}"
    "figcaption{font-size:.8125rem;color:var(--soft);margin-top:.35rem}"
    ".legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;font-size:.875rem;margin:0}"
    ".legend span{display:inline-flex;align-items:center;gap:.4rem}"
    ".legend svg{width:34px;height:14px;flex:none}\n",
    "svg text{font-size:12px;fill:var(--soft);font-family:inherit}"
    "svg .axis{stroke:var(--soft);stroke-width:1;fill:none}"
    "svg .grid{stroke:var(--rule);stroke-width:1}"
    "svg .original{stroke:var(--original);stroke-width:3.6;fill:none;stroke-linejoin:round;"
    "stroke-linecap:round}"
    "svg .synthetic{stroke:var(--synthetic);stroke-width:1.8;fill:none;stroke-linejoin:round;"
    "stroke-linecap:round}"
    "svg .null{stroke:var(--null);stroke-width:1.6;fill:none;stroke-dasharray:2 4;"
    "stroke-linecap:round}"
    "svg .band-area{fill:var(--synthetic);opacity:.25}"
    "svg .original-fill{fill:var(--original)}svg .original-soft{fill:var(--original);"
    "opacity:.42}svg .synthetic-fill{fill:var(--synthetic)}svg .null-fill{fill:var(--null)}"
    "svg .hollow{fill:var(--card);stroke:var(--null);stroke-width:1.8}"
    "svg .link{stroke-width:1;fill:none;stroke-dasharray:none}svg .dot{stroke:var(--card);stroke-width:.8}"
    "svg .ink{fill:var(--ink)}svg .whisker{stroke:var(--ink);stroke-width:1.2}\n",
    "@page{margin:12mm}@media print{:root{--ground:#fff;--card:#fff;--ink:#000;--soft:#444;"
    "--rule:#bbb;--original:#0b5fa5;--synthetic:#c4480c;--null:#6a7480;--good:#0a6b4a;"
    "--good-ground:#e2f3ec;--rough:#7d5200;--rough-ground:#fdf1d7;--not:#9b1c1c;"
    "--not-ground:#fbe6e4;--none-ground:#eceff3}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}"
    "html{font-size:11px}main{padding:.8rem}.private{border-left:5mm solid var(--red)}"
    ".band[role]{position:static}"
    ".card,figure,.verdict li,tr{break-inside:avoid}h2{break-after:avoid}"
    ".figures{grid-template-columns:repeat(3,minmax(0,1fr))}"
    ".two{grid-template-columns:minmax(0,1.6fr) minmax(0,1fr)}"
    ".wide{display:table-cell}}\n",
    NULL};
