// The page: its screens, keys that work everywhere, signing in, language, looks.

import { session } from "./api.js";
import { attempt, clear, h, notice } from "./dom.js";
import { speak, t } from "./words.js";

const shell = JSON.parse(document.getElementById("shell").textContent);
const main = document.querySelector("main");
const links = [...document.querySelectorAll("nav a")].filter(({ dataset }) => shell[dataset.needs ?? dataset.screen] !== false);
let turn = 0;
/** What the shown screen does for a key. */
let acts = {};

const kept = (name, usual) => localStorage[`tebiki.${name}`] ?? usual;
const keep = (name, value) => (localStorage[`tebiki.${name}`] = value);
const byId = (id) => document.getElementById(id);
const [login, ended, enter, token, refused, shortcuts, single, theme] = "login ended enter token refused shortcuts single theme".split(" ").map(byId);

function dress() {
	theme.value = kept("theme", "auto");
	document.documentElement.style.colorScheme = theme.value === "auto" ? "" : theme.value;
}

function toast(words) {
	const shown = h("div.toast", { role: "status" }, words);
	document.body.append(shown);
	setTimeout(() => shown.remove(), 4000);
}

async function show() {
	const mine = ++turn;
	const [asked, query] = location.hash.slice(1).split("?");
	const name = asked === "read" || links.some((link) => link.dataset.screen === asked) ? asked : "find";
	for (const link of links) link.setAttribute("aria-current", link.dataset.screen === (name === "read" ? "find" : name) && "page");
	document.title = `${t(`screen.${name}`)} · tebiki`;
	const stage = h("div.stage");
	acts = {};
	try {
		if (!shell.signed_in) throw { status: 401 };
		const screen = await import(`./${name}.js`).catch(() => { throw Error(t("error.unreachable")); });
		const offered = await screen.show(stage, new URLSearchParams(query), { ...shell, toast, again: show });
		if (mine !== turn) return;
		acts = offered ?? {};
	} catch (failure) {
		if (mine !== turn) return;
		clear(stage, failure.status === 401 ? signIn(failure) : [h("h1", t(`screen.${name}`)), notice(failure.message), h("button", { onclick: show }, t("again"))]);
	}
	clear(main, stage);
	scrollTo(0, 0);
	acts.shown?.();
}

function signIn({ code }) {
	login.hidden = false;
	ended.hidden = code !== "session_ended";
	acts = { shown: () => token.focus() };
	return login;
}

enter.onsubmit = async (event) => {
	event.preventDefault();
	if (await attempt(refused, () => session("POST", { token: token.value.trim() }))) location.reload();
	else token.select();
};
const tellKeys = () => shortcuts.showModal();

addEventListener("keydown", (event) => {
	if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
	const { key } = event;
	if (key !== "Escape" && (event.target.matches("input, textarea, select") || !single.checked)) return;
	const act = { "/": () => byId("question")?.select() ?? (location.hash = "find"), "?": tellKeys }[key] ?? acts[key] ?? (links[key - 1] && (() => links[key - 1].click()));
	if (!act) return;
	event.preventDefault();
	act();
});

theme.onchange = () => dress(keep("theme", theme.value));
single.checked = kept("keys", "on") === "on";
single.onchange = () => keep("keys", single.checked ? "on" : "off");
byId("language").onchange = ({ target }) => {
	document.cookie = `tebiki_language=${target.value}; path=/; max-age=31536000; samesite=strict`;
	location.reload();
};
byId("keys").onclick = tellKeys;
document.querySelector(".skip").onclick = (event) => event.preventDefault(main.focus());
byId("logout").hidden = !shell.session;
byId("logout").onclick = () => session("DELETE", sessionStorage.clear()).finally(() => location.reload());

document.querySelector("nav").replaceChildren(...links);
links.forEach((link, place) => link.lastChild.append(place + 1));
speak(shell.words, shell.language);
byId("language").value = shell.language;
byId(shell.tokens ? "by-open" : "enter").hidden = true;
dress();
const secret = /^#secret=(.+)/.exec(location.hash);
if (secret) {
	// Gone from the address before anything else happens.
	history.replaceState(null, "", "/");
	await session("POST", { secret: secret[1] }).then(() => location.reload(), (failure) => toast(failure.message));
} else if (!shell.signed_in && !sessionStorage.loaded) {
	// The cookie stays behind when another site led here, but not when the page asks.
	sessionStorage.loaded = "again";
	await session("GET").then(() => location.reload(), () => {});
}
addEventListener("hashchange", show);
show();
