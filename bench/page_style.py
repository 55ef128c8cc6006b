"""The looks of the page: those of the evaluation's report, and what curves and tables add."""

from __future__ import annotations

from tebiki.evals.page_style import STYLE as SHARED

OWN = """
:root { --other: #c05621; }
@media (prefers-color-scheme: dark) { :root { --other: #f0a46b; } }
section h3 { margin-top: 28px; } section h3:first-of-type { margin-top: 0; }
.plots { margin-top: 16px; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px; margin: 12px 0; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; }
.grid { stroke: var(--line); stroke-width: .6; }
.curve { fill: none; stroke-width: 2; stroke-linejoin: round; }
.dot { stroke: var(--paper); stroke-width: 1; }
.halo { paint-order: stroke; stroke: var(--paper); stroke-width: 3.5px; stroke-linejoin: round; }
.ours1 { stroke: var(--bar); } .dot.ours1 { fill: var(--bar); stroke: var(--paper); }
.ours2 { stroke: var(--other); } .dot.ours2 { fill: var(--other); stroke: var(--paper); }
.yard1, .yard2 { stroke: var(--second); stroke-width: 1.5; stroke-dasharray: 6 4; }
.yard2 { stroke-dasharray: 2 3; }
.dot.yard1, .dot.yard2 { fill: var(--second); stroke: var(--paper); stroke-dasharray: none; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 6px 0 0; padding: 0;
  list-style: none; font-size: .85rem; }
.legend li { display: flex; align-items: center; gap: 6px; }
.legend svg { width: 26px; height: 8px; margin: 0; }
.rows th[scope=rowgroup] { text-align: left; background: none; color: var(--soft);
  font-weight: 600; padding-top: 12px; }
.rows td:first-child { min-width: 10rem; }
.rows .of-group td:first-child { padding-left: 24px; }
@media (max-width: 600px) { .rows { font-size: .82rem; } .rows th, .rows td { padding: 5px 8px; }
  .rows td:first-child { min-width: 8rem; } .rows .of-group td:first-child { padding-left: 14px; }
  .rows .good, .rows .wrong { display: inline-block; min-width: 5.5rem; white-space: normal;
    overflow-wrap: normal; } }
.misses { margin: 4px 0; padding-left: 20px; }
"""

STYLE = SHARED + OWN
