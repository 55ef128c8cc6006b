// <tebiki-results>: what a find gave, how complete it was, why each section is there, what disagrees. Its `source` has
// find(question), rows(found, kind, offset), read(ref), link(ref) and, where it can tell, explain(hit), whyNot(question).

import { attempt, clear, empty, h, marked, more, notice, opener, soft } from "./dom.js";
import { number, said, t } from "./words.js";

/** A reason such as `required_terms_too_common`, as a sentence. */
function failureWords({ reason, manual, terms }) {
	const key = `failure.${reason.replace(/_top_\d+$/, "_top").replace(/^some_/, "")}`;
	return said(key, t("failure.other"), { terms: terms.map((term) => t("quoted", { term })).join(t("and")), manual: manual ?? t("this.manual") });
}

export class TebikiResults extends HTMLElement {
	source = null;
	#asked = 0;
	#cancel = null;

	connectedCallback() {
		this.busy = h("div.busy");
		this.body = h("div");
		this.append(this.busy, this.body);
		this.addEventListener("keydown", (event) => this.#walk(event));
	}

	async ask(question) {
		this.rest();
		const turn = this.#asked;
		this.#cancel = new AbortController();
		const late = setTimeout(() => this.busy.classList.add("on"), 150);
		try {
			const found = await this.source.find(question, this.#cancel.signal);
			if (turn === this.#asked) this.show(found, question);
		} catch (failure) {
			if (turn === this.#asked) clear(this.body, notice(failure.message));
		}
		clearTimeout(late);
		if (turn === this.#asked) this.busy.classList.remove("on");
	}

	/** An answer still on its way is not shown. */
	rest(...children) {
		this.#asked++;
		this.#cancel?.abort();
		this.busy.classList.remove("on");
		if (children.length) clear(this.body, ...children);
	}

	show(found, question = {}) {
		const within = this.contains(document.activeElement);
		this.most = Math.max(...found.hits.map((hit) => hit.score), 0);
		this.list = h("ol.hits", { "aria-label": t("results") }, found.hits.map((hit) => this.#hit(hit)));
		clear(
			this.body,
			this.#said(found),
			found.failures.map((one) => soft(failureWords(one))),
			found.conflicts > 0 && this.#rows(found, "conflicts", (row) => this.#conflict(row)),
			found.hits.length ? this.list : empty(t("nothing.found"), t("nothing.found.next")),
			found.total > found.hits.length && this.#more(found),
			found.gaps > 0 && found.total > 0 && this.#rows(found, "gaps", gap, t("gaps")),
			question.text && this.source.whyNot?.(question),
		);
		if (within) this.enter();
		this.dispatchEvent(new Event("shown"));
	}

	#said(found) {
		const [state, words, which] = found.complete ? ["all", t("everything.searched"), t("other.files", { n: found.listed })] : ["part", t("not.searched", { n: found.unsearched }), t("which.files")];
		const [button, files] = opener(which, () => this.#rows(found, "unscanned", file));
		return [
			h("div.said", { role: "status" }, h(`span.${state}`, words), found.listed > 0 && button,
				h("span.push.num", t("sections.found", { n: found.total }), found.ms != null && ` · ${number(found.ms)} ms`)),
			files,
		];
	}

	#hit(hit) {
		const trail = hit.trail.filter((title, place) => place < hit.trail.length - 1 || title !== hit.title);
		const [why, reasons] = opener(t("why"), () => this.source.explain(hit, this.most), { class: "why" });
		return h("li.hit",
			h("a", { href: this.source.link(hit), onclick: (event) => this.#open(event, hit) },
				trail.length > 0 && h("span.trail", trail.join(" › ")),
				h("h3", marked(hit.title, hit.words)),
				hit.header && h("p.trail", hit.header),
				hit.excerpt && h("p.excerpt", marked(hit.excerpt, hit.words)),
			),
			h("div.row.foot",
				h("span.path", `${hit.manual}/${hit.path}:${hit.line}`),
				hit.page && h("span", t("page", { page: hit.page })),
				h("span.num", t("score", { score: number(hit.score, 1) })),
				hit.parts && this.source.explain && why,
			),
			reasons,
		);
	}

	#open(event, hit) {
		if (event.metaKey || event.ctrlKey || event.shiftKey) return;
		const detail = { ...hit, item: event.currentTarget.parentElement };
		if (!this.dispatchEvent(new CustomEvent("open-section", { cancelable: true, detail }))) event.preventDefault();
	}

	#more(found) {
		return more(async () => {
			const { items } = await this.source.rows(found, "hits", found.hits.length);
			const added = items.map((hit) => this.#hit(hit));
			found.hits.push(...items);
			this.list.append(...added);
			added[0]?.querySelector("a").focus();
			return items.length && found.hits.length < found.total;
		});
	}

	#rows(found, kind, row, title) {
		const list = h("div", { class: kind });
		attempt(list, async () => {
			const { items, total } = await this.source.rows(found, kind, 0);
			const made = items.map(row).filter(Boolean);
			if (made.length) clear(list, title && h("h3", title), made, total > items.length && soft(t("and.more", { n: total - items.length })));
		});
		return list;
	}

	#conflict(row) {
		const side = (one) => h("blockquote", h("p", marked(one.text, one.words)), h("a.path", { href: this.source.link(one), onclick: (event) => this.#open(event, one) }, `${one.path}:${one.line}`));
		return h("div.conflict", h("h3", t("conflict")), h("div.sides", row.sides.map(side)));
	}

	/** Arrow keys walk, w tells why. */
	#walk(event) {
		const item = event.target.closest(".hit");
		if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (event.key === "w") item.querySelector(".foot button")?.click();
		if (!step) return;
		const next = step > 0 ? item.nextElementSibling : item.previousElementSibling;
		if (next) next.querySelector("a").focus();
		else if (step < 0) this.dispatchEvent(new Event("leave-upwards"));
		event.preventDefault();
	}

	enter() {
		this.list?.querySelector(".hit a")?.focus();
	}
}

function gap(row) {
	const words = said(`gap.${row.gap}`, null, { manual: t("this.manual"), ...row });
	return words && h("p", words);
}

const file = ({ manual, path, reason }) => h("p", h("span.path", manual && `${manual}/`, path), " ", h("span.soft", said(`reason.${reason}`, reason)));

customElements.define("tebiki-results", TebikiResults);
