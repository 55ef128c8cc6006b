// Settings: every value in force, and where it came from. Read-only.

import { get } from "./api.js";
import { clear, h, headed, soft, table } from "./dom.js";
import { said, t } from "./words.js";

export async function show(stage) {
	const { settings } = await get("settings");
	const listed = h("div");
	const fill = () => {
		const words = filter.value.toLowerCase();
		const chosen = settings.filter((one) => (!changed.checked || one.origin !== "default") && `${one.key} ${one.doc}`.toLowerCase().includes(words));
		clear(listed, chosen.length ? table(t("screen.settings"), ["key", "value", "origin"].map((key) => t(`settings.${key}`)), chosen.map(row)) : soft(t("settings.none")));
	};
	const filter = h("input", { type: "search", placeholder: t("settings.filter"), "aria-label": t("settings.filter"), oninput: fill });
	const changed = h("input", { type: "checkbox", onchange: fill });
	fill();
	stage.append(headed(t("screen.settings"), t("settings.tells")), h("div.row", filter, h("label.row", changed, t("settings.changed"))), listed);
}

const row = ({ key, value, origin, detail, doc }) => [
	[h("span.path", key), h("span.doc", doc)],
	value == null ? h("span.soft", t("settings.unset")) : h("span.path", typeof value === "string" ? value : JSON.stringify(value)),
	h("span.soft", said(`origin.${origin}`, origin), detail && ` ${detail}`),
];
