"""The looks of the report: one style sheet, light and dark, narrow and wide."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --paper: #fdfdfc; --ink: #1d2329; --soft: #5c6670;
  --line: #dde1e5; --panel: #f3f5f6; --bar: #2b6cb0; --second: #8a97a5; --rail: #e6eaee;
  --bad: #b83a32; --good: #2d7a46; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181c; --ink: #e4e8ec; --soft: #9aa5b0;
  --line: #2e353c; --panel: #1c2227; --bar: #6aaee6; --second: #7d8a97; --rail: #262d34;
  --bad: #e8837b; --good: #7cc796; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1080px; padding: 24px 16px 64px; background: var(--paper);
  color: var(--ink); font: 15px/1.55 system-ui, "Hiragino Sans", "Noto Sans JP", sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 40px 0 12px; overflow-wrap: anywhere; }
h3 { font-size: .95rem; margin: 0 0 2px; }
p { margin: 4px 0; overflow-wrap: anywhere; }
code { font: .92em ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.soft { color: var(--soft); font-size: .88rem; }
.good { color: var(--good); font-weight: 600; } .wrong { color: var(--bad); font-weight: 600; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { padding: 6px 12px; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
tbody tr:last-child td { border-bottom: 0; }
th { font-weight: 600; background: var(--panel); white-space: nowrap; }
td { overflow-wrap: anywhere; } td:not(.number) { min-width: 8rem; }
.note { display: block; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.plots { display: grid; gap: 28px 36px;
  grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr)); }
figure { margin: 0; max-width: 480px; }
svg { display: block; width: 100%; height: auto; margin-top: 8px; }
svg text { font: 11px system-ui, "Hiragino Sans", "Noto Sans JP", sans-serif; }
.bar { fill: var(--bar); } .second { fill: var(--second); } .bad { fill: var(--bad); }
.rail { fill: var(--rail); } .axis { stroke: var(--line); }
.label { fill: var(--ink); } .value { fill: var(--soft); }
.key::before { content: ""; display: inline-block; width: 10px; height: 10px; border-radius: 2px;
  margin: 0 6px 0 0; background: var(--bar); }
.key.two::before { background: var(--second); margin-left: 14px; }
.case { border: 1px solid var(--line); border-radius: 6px; padding: 10px 14px; margin: 0 0 10px; }
.case ul { margin: 6px 0 0; padding-left: 20px; } .case li { overflow-wrap: anywhere; }
details { margin-top: 16px; } summary { cursor: pointer; font-weight: 600; padding: 4px 0; }
@media print { body { max-width: none; } .scroll { overflow: visible; } }
"""
