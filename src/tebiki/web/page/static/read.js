// Reader: one section, its file's headings, the way on.

import { address, get } from "./api.js";
import { h, notice } from "./dom.js";
import { built } from "./nodes.js";
import { t } from "./words.js";

export async function show(stage, query, page) {
	const { manual, path, line, anchor, q, in: within } = Object.fromEntries(query);
	const section = await get("section", { manual, path, line, anchor, q });
	const back = address("find", { q, manual: within });
	const to = (at) => address("read", { manual, path, line: at.line, q, in: within });
	const go = (at) => at && (location.hash = to(at));
	const copy = () => navigator.clipboard.writeText(section.uri).then(() => page.toast(t("copied")));
	const step = (at, words, key) => at && h("a.button", { href: to(at), title: at.title }, words, " ", h("kbd", key));
	const heading = (one) => h("li", h("a", { href: to(one), "data-level": one.level, "aria-current": one.line === section.line && "true" }, one.title));
	stage.append(
		h("p.crumbs", h("a", { href: back }, t(q ? "back.to.results" : "screen.find")), " › ", h("span.path", `${manual}/${path}:${section.line}`)),
		h("div.split",
			h("article",
				h("div.prose", built(section.nodes)),
				section.cut && notice(t("section.cut"), ""),
				h("div.row.bars", step(section.previous, t("previous"), "p"), step(section.next, t("next"), "n"), h("span.push.row", h("button", { onclick: copy }, t("copy.link"), " ", h("kbd", "c")), /^vscode:/.test(section.editor) && h("a.button", { href: section.editor }, t("open.editor")))),
			),
			section.headings.length > 1 && h("nav.side", { "aria-label": t("in.this.file") }, h("h2", t("in.this.file")), h("ul", section.headings.map(heading))),
		),
	);
	const shown = () => (document.getElementById(`L${line}`) ?? document.querySelector("mark"))?.scrollIntoView({ block: "center" });
	return { shown, n: () => go(section.next), p: () => go(section.previous), c: copy, Escape: () => (location.hash = back) };
}
