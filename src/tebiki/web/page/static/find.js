// Find: one field, results while typing, but never while an input method composes.

import { address, get, pageSource } from "./api.js";
import { empty, h } from "./dom.js";
import "./results.js";
import { t } from "./words.js";

const PAUSE_MS = 120;

export async function show(stage, query) {
	const known = (await get("manuals")).manuals.map((one) => one.id);
	if (!known.length) return void stage.append(empty(t("find.none"), t("find.none.next")));
	const asked = () => ({ text: field.value.trim(), manual: chooser.value || null });
	let waiting = 0;
	let last = null;
	const search = () => {
		clearTimeout(waiting);
		const question = asked();
		const here = question.text ? address("find", { q: question.text, manual: question.manual }) : "#find";
		if (here === last) return;
		history.replaceState(null, "", (last = here));
		if (question.text) results.ask(question);
		else results.rest(empty(t("find.empty"), t("find.empty.next")));
	};
	const soon = (event) => {
		clearTimeout(waiting);
		// What an input method has not finished is no question yet; its end asks.
		if (!event.isComposing) waiting = setTimeout(search, PAUSE_MS);
	};
	const pressed = (event) => {
		if (event.isComposing) return;
		if (event.key === "Enter") search();
		if (event.key === "ArrowDown") event.preventDefault(results.enter());
	};
	const field = h("input", { type: "search", id: "question", "aria-label": t("find.label"), placeholder: t("find.place"), autocomplete: "off", maxlength: 2000, oninput: soon, oncompositionstart: () => clearTimeout(waiting), oncompositionend: soon, onkeydown: pressed });
	const chooser = h("select", { "aria-label": t("manual"), onchange: search }, known.length > 1 && h("option", { value: "" }, t("all.manuals")), known.map((one) => h("option", one)));
	const results = h("tebiki-results", { "onleave-upwards": () => field.focus() });
	results.source = pageSource(asked);
	field.value = query.get("q") ?? "";
	if (known.includes(query.get("manual"))) chooser.value = query.get("manual");
	stage.append(h("h1.sr", t("screen.find")), h("div.field", { role: "search" }, field, chooser), results);
	const shown = () => {
		field.focus();
		search();
	};
	return { shown, Escape: () => { field.value = ""; shown(); } };
}
