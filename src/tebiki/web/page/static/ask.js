// Ask: a question to the web, its answer, and a note of it.

import { address, post, stream } from "./api.js";
import { attempt, clear, h, headed, notice } from "./dom.js";
import { built } from "./nodes.js";
import { date, dollars, number, t } from "./words.js";

/** Made once: what is typed and answered outlives a look elsewhere. */
let parts;

export async function show(stage, _query, page) {
	stage.append(...(parts ??= make(page)));
	return { shown: () => stage.querySelector("textarea").focus() };
}

function make(page) {
	let cancel = null;
	const ask = async (event) => {
		event.preventDefault();
		const question = field.value.trim();
		if (!question || cancel) return;
		cancel = new AbortController();
		stop.hidden = !(go.disabled = true);
		clear(place);
		heard.textContent = t("ask.begun");
		const worked = await attempt(place, async () => clear(place, told(await stream("ask", { question }, cancel.signal, (words) => (heard.textContent = words)), question, page)));
		heard.textContent = worked || place.firstChild ? "" : t("ask.stopped");
		go.disabled = !(stop.hidden = true);
		cancel = null;
	};
	const field = h("textarea", { id: "asked", "aria-label": t("ask.label"), rows: 3, required: true, maxlength: 2000, placeholder: t("ask.place"), oninput: () => (sessionStorage.asked = field.value), onkeydown: (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing && ask(event) }, sessionStorage.asked);
	const go = h("button.primary", t("ask.go"));
	const stop = h("button", { type: "button", hidden: true, onclick: () => cancel.abort() }, t("ask.stop"));
	const heard = h("p.soft", { role: "status" });
	const place = h("div");
	return [headed(t("screen.ask"), t("ask.tells")), h("form", { onsubmit: ask }, field, h("div.row", go, stop, h("kbd", "Ctrl + Enter"))), heard, place];
}

function told({ nodes, sources, receipt, text, model }, question, page) {
	const source = (one) => h("li", built([{ tag: "a", attrs: { href: one.url }, children: [one.title || one.url] }]), " ", one.date && h("span.soft.small", date(one.date)));
	const { tokens, estimated_cost_usd: cost, elapsed_ms: took } = receipt;
	const spent = [model, t("ask.tokens", { n: tokens.input + tokens.output }), cost != null && dollars(cost), t("ask.seconds", { s: number(took / 1000, 1) })].filter(Boolean).join(" · ");
	const saved = h("span.push");
	const save = h("button", { onclick: () => attempt(saved, async () => {
		save.disabled = true;
		const { path } = await post("notes", { question, text, sources });
		clear(saved, h("a", { href: address("notes", { path }) }, t("ask.saved", { path })));
	}) }, t("ask.save"));
	saved.append(save);
	return [
		receipt.private_spans > 0 && notice(t("ask.private"), "warn"),
		h("article.prose", built(nodes)),
		sources.length > 0 && h("section", h("h2", t("ask.sources")), h("ol.sources", sources.map(source))),
		h("div.row.bars.soft", h("span.num", spent), page.can_save && saved),
	];
}
