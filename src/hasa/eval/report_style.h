#pragma once

namespace hasa {

/// How the page of a report looks: one column on a phone, several on a desk, light or dark as the reader's system is.
inline constexpr const char* kReportStyle = R"css(
:root { color-scheme: light dark; --back: #ffffff; --card: #f4f6f8; --line: #d5dae0; --text: #191c20; --muted: #565f6a;
  --bar: #3b78b8; --track: #e6eaee; --whisker: #191c20; --warn: #8a4b00; --warn-back: #fff4e3; }
@media (prefers-color-scheme: dark) { :root { --back: #14171b; --card: #1e2329; --line: #39414a; --text: #e9ecef;
  --muted: #a4aeb9; --bar: #3f82c8; --track: #2a3138; --whisker: #f2f4f6; --warn: #ffc37a; --warn-back: #33260f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 1.25rem 1rem 3rem; }
h1 { font-size: 1.5rem; line-height: 1.2; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .75rem; }
header p { margin: 0; max-width: 46rem; }
p.muted { font-size: .875rem; margin: 0 0 .6rem; } h2 + p.muted { margin-top: -.4rem; }
header p, .muted, caption, small, summary { color: var(--muted); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem; margin: 1.25rem 0; }
.card { background: var(--card); border-radius: .5rem; padding: .7rem .9rem; }
.card dt { color: var(--muted); font-size: .85rem; }
.card dd { margin: 0; font-size: 1.7rem; font-weight: 600; font-variant-numeric: tabular-nums; line-height: 1.25; }
.card small { display: block; font-size: .8rem; font-weight: 400; }
.charts { columns: 21rem; column-gap: 1rem; }
figure { break-inside: avoid; margin: 0 0 1rem; border: 1px solid var(--line); border-radius: .5rem; padding: .9rem 1rem; min-width: 0; }
figcaption { font-weight: 600; margin-bottom: .6rem; }
figcaption .muted, figure p { font-weight: 400; font-size: .8rem; margin: .25rem 0; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg text { font: 12px system-ui, sans-serif; fill: var(--text); font-variant-numeric: tabular-nums; }
svg .value { text-anchor: end; font-weight: 600; }
svg .note { fill: var(--muted); font-weight: 400; white-space: pre; }
svg .tick { text-anchor: middle; font-size: 11px; }
.track { fill: var(--track); } .bar { fill: var(--bar); } .whisker { stroke: var(--whisker); stroke-width: 1.5; fill: none; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
table caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; font-weight: 400; }
thead th { color: var(--muted); } tbody th { text-align: left; padding-left: 0; } thead th:first-child { text-align: left; padding-left: 0; }
details { margin-top: .6rem; } summary { cursor: pointer; font-size: .85rem; }
.warning { background: var(--warn-back); border-radius: .5rem; padding: .1rem 1rem .4rem; margin-top: 1.5rem; }
.warning h2 { margin-top: .75rem; color: var(--warn); }
.certificate { margin: 0; font-size: .9rem; }
.certificate div { display: grid; grid-template-columns: 9rem 1fr; gap: .75rem; padding: .3rem 0; border-bottom: 1px solid var(--line); }
.certificate dt { color: var(--muted); } .certificate dd { margin: 0; overflow-wrap: anywhere; white-space: pre-line; }
@media (max-width: 30rem) { th, td { padding: .2rem .4rem; } .certificate div { grid-template-columns: 1fr; gap: 0; } }
@media print { details { display: none; } }
)css";

}  // namespace hasa
