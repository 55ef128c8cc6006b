// The server's side: requests, failures in words, and the source that <tebiki-results> asks.

import { scoreParts, whyNotForm } from "./why.js";
import { said, t } from "./words.js";

const encoded = (values = {}) => new URLSearchParams(Object.entries(values).filter(([, value]) => value != null && value !== ""));

export const address = (screen, values) => `#${screen}?${encoded(values)}`;

/** Kept for this origin alone; a cookie knows no ports. */
const KEY = "tebiki.key";

async function send(method, path, body, signal) {
	const headers = { "x-tebiki-key": localStorage[KEY] ?? "", ...(body && { "Content-Type": "application/json" }) };
	const reply = await fetch(`/ui/${path}`, { method, signal, body: body && JSON.stringify(body), headers }).catch((failure) => {
		throw failure.name === "AbortError" ? failure : new Error(t("error.unreachable"));
	});
	if (reply.ok) return reply;
	throw failed((await reply.json().catch(() => ({}))).error, reply.status);
}

function failed({ code, message } = {}, status) {
	return Object.assign(new Error(said(`error.${code}`, message ?? t("error.status", { status }), { message })), { code, status });
}

export const get = async (path, query) => (await send("GET", `api/${path}?${encoded(query)}`)).json();
export const post = async (path, body = {}, signal) => (await send("POST", `api/${path}`, body, signal)).json();

/** Signs in (POST) or out, or tells whether that is needed (GET). */
export async function session(method, body) {
	const reply = await send(method, "session", body);
	if (method === "POST") localStorage[KEY] = (await reply.json()).key;
	if (method === "DELETE") delete localStorage[KEY];
}

/** Progress by line, then the answer. */
export async function stream(path, body, signal, hear) {
	const reader = (await send("POST", `api/${path}`, body, signal)).body.pipeThrough(new TextDecoderStream()).getReader();
	for (let rest = ""; ; ) {
		const { value: piece, done } = await reader.read();
		if (done) throw new Error(t("error.unreachable"));
		const lines = (rest + piece).split("\n");
		rest = lines.pop();
		for (const { error, answer, progress } of lines.filter(Boolean).map(JSON.parse)) {
			if (error) throw failed(error);
			if (answer) return answer;
			if (progress) hear(progress);
		}
	}
}

export const pageSource = (asked) => ({
	link: ({ manual, path, line }) => address("read", { manual, path, line, q: asked().text, in: asked().manual }),
	find: ({ text, manual }, signal) => post("find", { question: text, manual }, signal),
	rows: ({ trace }, kind, offset) => get("hits", { trace, kind, offset }),
	read: (ref) => get("section", ref),
	explain: (hit, most) => scoreParts(hit.parts, most),
	whyNot: ({ text, manual }) => whyNotForm(async (place) => {
		// A place as the results show it; within one manual its name may be left out.
		const whole = !manual || place.startsWith(`${manual}/`) ? place : `${manual}/${place}`;
		const [, of, path, line] = /^([^/]+)\/(.+?)(?::(\d+))?$/.exec(whole) ?? [];
		if (!path) throw new Error(t("why.not.which"));
		const fate = await post("why-not", { question: text, manual: of, path, line: line ? Number(line) : null });
		return { ...fate, place: `${of}/${fate.path}:${fate.line}`, words: said(`stage.${fate.stage}`, fate.words) };
	}),
});
