// Why a section is among the results, part by part, and why another one is not.

import { bar } from "./charts.js";
import { attempt, clear, h } from "./dom.js";
import { number, said, t } from "./words.js";

/** The parts of a score, the largest first. */
export function scoreParts(parts, most) {
	const sorted = parts.filter((part) => part.value).sort((one, other) => Math.abs(other.value) - Math.abs(one.value));
	const top = Math.max(most ?? 0, ...sorted.map((part) => Math.abs(part.value)));
	return h("ul", sorted.map(({ name, value }) => h("li", h("span", said(`part.${name}`, name)), bar(value, top), h("span.num", number(value, 2)))));
}

/** A field for the path of a file that is not among the results. */
export function whyNotForm(ask) {
	const told = h("div", { "aria-live": "polite" });
	const field = h("input", { type: "text", "aria-label": t("why.not.label"), placeholder: t("why.not.place"), autocomplete: "off", spellcheck: "false", required: true });
	const tell = (event) => {
		event.preventDefault();
		attempt(told, async () => {
			const fate = await ask(field.value.trim());
			clear(told, h("div.why", h("p", h("b", fate.title), " ", h("span.path.soft", fate.place)), h("p", fate.words), scoreParts(fate.parts, fate.score)));
		});
	};
	return h("details.plain", h("summary", t("why.not")), h("form.row", { onsubmit: tell }, field, h("button", t("why.not.ask"))), told);
}
