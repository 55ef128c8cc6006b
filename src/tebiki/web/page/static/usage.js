// Usage: what paid calls took by day, tool and model; what caps leave.

import { get } from "./api.js";
import { bar, columns } from "./charts.js";
import { clear, empty, h, headed, soft, table } from "./dom.js";
import { date, dollars, number, t } from "./words.js";

const cost = (sums) => sums.estimated_cost_usd;
const tokens = (sums) => sums.input_tokens + sums.output_tokens;
const MEASURES = { cost: [cost, dollars], calls: [(sums) => sums.calls, number], tokens: [tokens, number] };

export async function show(stage) {
	const usage = await get("usage");
	const { total, today } = usage;
	const top = headed(t("screen.usage"), t("usage.since", { day: date(usage.since) }));
	if (!total.calls) return clear(stage, top, empty(t("usage.empty"), t("usage.empty.next")));
	const tile = (key, value, more) => h("div.tile", h("b", value), t(`usage.${key}`, more));
	const drawn = h("div");
	const known = Object.fromEntries(usage.by_day.map((row) => [row.day, row]));
	const days = Array.from({ length: 30 }, (_, place) => new Date(Date.parse(usage.since) + place * 864e5).toISOString().slice(0, 10));
	const draw = () => {
		const [of, show] = MEASURES[chooser.value];
		const rows = days.map((day) => ({ name: day.slice(5).replace("-", "/"), day, value: known[day] ? of(known[day]) : 0 }));
		clear(drawn, columns(rows, { label: t("usage.chart", { what: t(`usage.${chooser.value}`) }), show, tell: (row) => `${date(row.day)}: ${show(row.value)}` }));
	};
	const chooser = h("select", { "aria-label": t("usage.measure"), onchange: draw }, Object.keys(MEASURES).map((name) => h("option", { value: name }, t(`usage.${name}`))));
	draw();
	const heads = ["calls", "tokens.in", "tokens.out", "cost"].map((key) => ({ num: t(`usage.${key}`) }));
	const grouped = (by) => {
		const rows = usage[`by_${by}`];
		const most = Math.max(...rows.map(cost));
		const cells = (row) => [row[by], bar(cost(row), most), ...[row.calls, row.input_tokens, row.output_tokens].map((value) => ({ num: number(value) })), { num: dollars(cost(row)) }];
		return h("section", h("h2", t(`usage.by.${by}`)), table(t(`usage.by.${by}`), [t(`usage.${by}`), "", ...heads], rows.map(cells)));
	};
	const { daily_usd: cap, spent_usd: spent, held_usd: held } = today;
	const left = cap == null ? tile("today", dollars(spent)) : tile("left", dollars(Math.max(cap - spent - held, 0)), { cap: dollars(cap) });
	clear(stage, top,
		h("div.tiles", tile("cost", dollars(cost(total))), tile("calls", number(total.calls)), tile("tokens", number(tokens(total))), left),
		total.calls_of_unknown_cost > 0 && soft(t("usage.unknown", { n: total.calls_of_unknown_cost, cost: dollars(total.presumed_cost_of_those_usd) })),
		h("section", h("div.row", h("h2", t("usage.by.day")), h("span.push", chooser)), drawn),
		grouped("tool"),
		grouped("model"),
		soft(t("usage.prices", { day: date(usage.prices_as_of) })),
	);
}
