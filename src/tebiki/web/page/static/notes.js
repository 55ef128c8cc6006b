// Notes: the tree, one note, its history, and the way back from a change.

import { address, get, post } from "./api.js";
import { ask, attempt, h, headed, notice, opener, soft } from "./dom.js";
import { built } from "./nodes.js";
import { date, said, t } from "./words.js";

export async function show(stage, query, page) {
	const path = query.get("path") ?? "";
	const [tree, note, { entries }] = await Promise.all([get("notes"), path && get("note", { path }).catch((failure) => ({ failure })), get("journal", { path })]);
	stage.append(
		headed(path || t("screen.notes"), page.read_only && t("read.only")),
		h(
			"div.split.left",
			h("nav.side", { "aria-label": t("notes.tree") }, tree.items.length ? branch(tree.items, path) : soft(t("notes.none"))),
			h(
				"div",
				note.failure && notice(note.failure.message),
				note.nodes ? h("article.prose", built(note.nodes)) : !path && soft(t("notes.choose")),
				h("section", h("h2", t(path ? "notes.history" : "notes.changes")), entries.length ? h("ol.log", entries.map((row) => entry(row, page))) : soft(t("notes.no.history"))),
			),
		),
	);
}

const branch = (items, path) => h("ul", items.map((item) => h("li", item.items
	? h("details", { open: path.startsWith(`${item.path}/`) || items.length < 8 }, h("summary", item.name), branch(item.items, path))
	: h("a", { href: address("notes", { path: item.path }), "aria-current": item.path === path && "page" }, item.name))));

function entry(row, page) {
	const told = h("div");
	const [look, diff] = opener(t("changes"), async () => h("pre.diff", { tabindex: 0 }, (await get("journal", { entry: row.entry })).diff.split("\n").map(line)));
	const undo = async () => {
		const answer = await ask(t("undo.sure"), h("p", t("undo.tells", { path: row.path })), h("form.row", { method: "dialog" }, h("button.push", { value: "no" }, t("cancel")), h("button.primary", { value: "yes" }, t("undo.do"))));
		if (answer !== "yes") return;
		if (await attempt(told, () => post(`journal/${row.entry}/undo`))) {
			page.toast(t("undone"));
			page.again();
		}
	};
	return h(
		"li",
		h(
			"div.row",
			h("span", said(`kind.${row.kind}`, row.kind)),
			h("a.path", { href: address("notes", { path: row.path }) }, row.path),
			h("span.soft.small.num", date(row.time, "short")),
			h("span.push.row", look, page.can_undo && row.undoable && h("button.plain", { onclick: undo }, t("undo"))),
		),
		diff,
		told,
	);
}

const line = (text) => h(/^\+(?!\+\+)/.test(text) ? "ins" : /^-(?!--)/.test(text) ? "del" : "span", `${text}\n`);
