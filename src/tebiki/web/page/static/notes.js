// Notes: the tree, one note, its history, and the way back from a change.

import { address, get, post } from "./api.js";
import { ask, attempt, h, headed, more, notice, opener, soft } from "./dom.js";
import { built } from "./nodes.js";
import { date, said, t } from "./words.js";

export async function show(stage, query, page) {
	const path = query.get("path") ?? "";
	const text = h("article.prose");
	const log = h("ol.log");
	let next = 0;
	const readOn = async () => {
		const part = await get("note", { path, offset: next });
		text.append(...built(part.nodes));
		return (next = part.next);
	};
	const lookBack = async () => {
		const { entries, total } = await get("journal", { path, offset: log.children.length });
		log.append(...entries.map((row) => entry(row, page)));
		return log.children.length < total;
	};
	const [tree, note, isLonger] = await Promise.all([get("notes"), path && readOn().catch((failure) => ({ failure })), lookBack()]);
	stage.append(
		headed(path || t("screen.notes"), page.read_only && t("read.only")),
		h("div.split.left",
			h("nav.side", { "aria-label": t("notes.tree") }, tree.items.length ? branch(tree.items, path) : soft(t("notes.none")), tree.cut && soft(t("notes.cut"))),
			h("div",
				note?.failure && notice(note.failure.message),
				path ? text : soft(t("notes.choose")),
				next > 0 && more(readOn),
				h("section", h("h2", t(path ? "notes.history" : "notes.changes")), log.firstChild ? log : soft(t("notes.no.history")), isLonger && more(lookBack)),
			),
		),
	);
}

const branch = (items, path) => h("ul", items.map((item) => h("li", item.items
	? h("details", { open: path.startsWith(`${item.path}/`) || items.length < 8 }, h("summary", item.name), branch(item.items, path))
	: h("a", { href: address("notes", { path: item.path }), "aria-current": item.path === path && "page" }, item.name))));

function entry(row, page) {
	const told = h("div");
	const [look, diff] = opener(t("changes"), async () => {
		const { diff, cut } = await get("journal", { entry: row.entry });
		return h("pre.diff", { tabindex: 0 }, diff.trimEnd().split("\n").map(line), cut && t("section.cut"));
	});
	const undo = async () => {
		if ((await ask(t("undo.sure"), h("p", t("undo.tells", { path: row.path })), h("form.row", { method: "dialog" }, h("button.push", { value: "no" }, t("cancel")), h("button.primary", { value: "yes" }, t("undo.do"))))) !== "yes") return;
		if (await attempt(told, () => post(`journal/${row.entry}/undo`))) {
			page.toast(t("undone"));
			page.again();
		}
	};
	return h("li",
		h("div.row",
			h("span", said(`kind.${row.kind}`, row.kind)),
			h("a.path", { href: address("notes", { path: row.path }) }, row.moved_from && `${row.moved_from} → `, row.path),
			h("span.soft.small.num", date(row.time, "short")),
			h("span.push.row", look, page.can_undo && row.undoable && h("button.plain", { onclick: undo }, t("undo"))),
		),
		diff,
		told,
	);
}

// The first two lines name the file.
const line = (text, place) => h((place > 1 && { "+": "ins", "-": "del" }[text[0]]) || "span", `${text}\n`);
