// Makes elements. Text only ever becomes a text node: nothing on the page parses markup.

import { t } from "./words.js";

const shown = (children) => children.flat(Infinity).filter((child) => child != null && child !== false);

const make = (space) => (tag, props, ...children) => {
	const [name, ...classes] = tag.split(".");
	const element = document.createElementNS(space, name);
	if (classes.length) element.setAttribute("class", classes.join(" "));
	if (props?.constructor !== Object) children.unshift(props);
	else
		for (const [key, value] of Object.entries(props)) {
			if (typeof value === "function") element.addEventListener(key.slice(2), value);
			else if (value !== false && value != null) element.setAttribute(key, value === true ? "" : value);
		}
	element.append(...shown(children));
	return element;
};

/** An element, as `h("p.soft", {id: "a"}, "text")`; functions listen (`onclick`), other props are attributes. */
export const h = make("http://www.w3.org/1999/xhtml");

export const s = make("http://www.w3.org/2000/svg");

export const clear = (element, ...children) => element.replaceChildren(...shown(children));

export const soft = (...words) => h("p.soft", words);

export const headed = (title, below) => h("header", h("h1", title), below && soft(below));

export const empty = (title, next) => h("div.empty", h("h2", title), h("p", next));

export const notice = (words, kind = "bad") => h("p", { class: `notice ${kind}`, role: kind === "bad" ? "alert" : "status" }, words);

/** Whether it worked; a failure is told in the place. */
export async function attempt(place, work) {
	try {
		await work();
		return true;
	} catch (failure) {
		if (failure.name !== "AbortError") clear(place, notice(failure.message));
		return false;
	}
}

/** A button and what it opens, made when it is opened first. */
export function opener(words, make, props = {}) {
	const panel = h("div", { hidden: true, ...props });
	const button = h("button.plain", { "aria-expanded": "false", onclick: () => {
		panel.hidden = !panel.hidden;
		button.setAttribute("aria-expanded", !panel.hidden);
		if (!panel.firstChild) attempt(panel, async () => panel.append(await make()));
	} }, words);
	return [button, panel];
}

/** A button for what is left; `load` adds some of it, and tells whether that was not all. */
export function more(load) {
	const told = h("div");
	const button = h("button", { onclick: () => attempt(told, async () => (await load()) || button.remove()) }, t("more"));
	return [h("p.more", button), told];
}

/** A dialog; gives the value of the button that ends it. */
export const ask = (title, ...children) => new Promise((resolve) => {
	const dialog = h("dialog", { "aria-labelledby": "dialog", onclose: () => { dialog.remove(); resolve(dialog.returnValue); } }, h("h2", { id: "dialog" }, title), children);
	document.body.append(dialog);
	dialog.showModal();
});

/** A table that scrolls where too wide; a cell is words, or {num: words}. */
export function table(title, heads, rows) {
	const cell = (tag, value, props) => h(tag, { ...props, class: value?.num && "num" }, value?.num ?? value);
	const head = h("thead", h("tr", heads.map((words) => cell(words ? "th" : "td", words, { scope: words ? "col" : null }))));
	const body = rows.map((row) => h("tr", row.map((value, place) => cell(place ? "td" : "th", value, { scope: place ? null : "row" }))));
	return h("div.scroll", { tabindex: 0, role: "region", "aria-label": title }, h("table", head, h("tbody", body)));
}

/** Puts <mark> around the words in a text, the longest first. */
export function marked(text, words = []) {
	const wanted = words.filter(Boolean).sort((one, other) => other.length - one.length);
	if (!wanted.length) return text;
	const pattern = new RegExp(`(${wanted.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|")})`, "giu");
	return text.split(pattern).map((part, place) => (place % 2 ? h("mark", part) : part));
}
