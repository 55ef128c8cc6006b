// Small drawings of our own; any chart library is larger than the page.

import { s } from "./dom.js";

/** How much of `most` a value is; what was taken off is red. */
export function bar(value, most) {
	const width = most > 0 ? Math.max((Math.abs(value) / most) * 100, 0.8) : 0;
	return s("svg.bar", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
		s("rect.ground", { width: 100, height: 8, rx: 1 }),
		s("rect", { class: value < 0 ? "off" : "", width: Math.min(width, 100), height: 8, rx: 1 }),
	);
}

const [HEIGHT, HEAD, FOOT] = [150, 16, 130];

/** Upright bars; `label` names the whole for screen readers, `tell` each bar. */
export function columns(rows, { label, tell, show }) {
	const most = Math.max(...rows.map((row) => row.value), 0);
	const width = Math.min(innerWidth - 32, 640);
	const step = width / rows.length;
	const every = Math.ceil(rows.length / 7);
	return s("svg.chart", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": label },
		s("line", { x1: 0, x2: width, y1: FOOT, y2: FOOT }),
		s("line", { x1: 0, x2: width, y1: HEAD, y2: HEAD, "stroke-dasharray": "2 4" }),
		s("text", { y: HEAD - 5 }, show(most)),
		rows.map((row, place) => {
			const height = most && (row.value / most) * (FOOT - HEAD);
			const x = place * step + step * 0.14;
			return [
				s("rect", { x, y: FOOT - height, width: step * 0.72, height, rx: 1.5 }, s("title", tell(row))),
				place % every === 0 && s("text", { x, y: HEIGHT - 5 }, row.name),
			];
		}),
	);
}
