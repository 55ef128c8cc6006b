// The way to the host of an MCP App: JSON-RPC by postMessage, as the specification of MCP Apps (2026-01-26) says.

import { t } from "../static/words.js";

export class Host {
	#last = 0;
	#waiting = new Map();
	#heard = new Map();

	constructor(parent) {
		this.parent = parent;
		addEventListener("message", (event) => event.source === parent && this.#take(event.data));
	}

	on(method, hear) {
		this.#heard.set(method, hear);
	}

	notify(method, params = {}) {
		this.parent.postMessage({ jsonrpc: "2.0", method, params }, "*");
	}

	request(method, params) {
		const id = ++this.#last;
		this.parent.postMessage({ jsonrpc: "2.0", id, method, params }, "*");
		return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
	}

	#take(message) {
		if (message?.jsonrpc !== "2.0") return;
		if (message.method) {
			this.#heard.get(message.method)?.(message.params ?? {});
			// The host may ask whether we are there, or say that we are about to go: both want an answer.
			if (message.id != null) this.#answer(message);
			return;
		}
		const waiting = this.#waiting.get(message.id);
		this.#waiting.delete(message.id);
		if (message.error) waiting?.reject(new Error(message.error.message));
		else waiting?.resolve(message.result);
	}

	#answer({ id, method }) {
		const known = method === "ping" || method === "ui/resource-teardown";
		const outcome = known ? { result: {} } : { error: { code: -32601, message: `no method ${method}` } };
		this.parent.postMessage({ jsonrpc: "2.0", id, ...outcome }, "*");
	}

	/** Calls a tool of the server through the host. Its own words about a failure are for the model. */
	async call(name, given) {
		const result = await this.request("tools/call", { name, arguments: given });
		const value = result.structuredContent ?? JSON.parse(result.content?.[0]?.text ?? "{}");
		if (!result.isError) return value;
		if (value.details?.required_first_call && name !== value.details.required_first_call) {
			await this.call(value.details.required_first_call, {});
			return this.call(name, given);
		}
		throw new Error(t("app.failed"));
	}
}

/** What a manual_find gave, as the results show it. */
export function foundIn(value) {
	const [reason, listed] = value.failure_reason?.split(/:(.*)/s) ?? [];
	const failures = reason ? [{ reason, terms: listed ? listed.split(",") : [] }] : [];
	const others = Object.values(value.unsupported ?? {}).reduce((sum, count) => sum + count, 0);
	const left = value.unscanned ?? 0;
	return {
		trace: value.trace_id,
		manual: value.inline_hits.manual_id,
		complete: value.complete,
		unsearched: Math.max(left - others, 0),
		listed: left,
		failures,
		total: value.inline_hits.total,
		hits: value.inline_hits.items.map((row) => hitIn(row, value.inline_hits.manual_id)),
		conflicts: 1,
		gaps: 1,
	};
}

const hitIn = ({ ref, title, score, matched_tokens: words }, manual) => ({
	manual: ref.manual_id ?? manual, path: ref.path, line: ref.start_line, title: title ?? ref.path, trail: [], score, words,
});

const PAGE = 20;

/** A source for <tebiki-results> that asks the server's tools through the host. */
export const hostSource = (host) => ({
	link: () => "#",
	async find({ text, manual, words }) {
		return foundIn(await host.call("manual_find", { query: text, manual_id: manual, required_terms: words }));
	},
	async rows(found, kind, offset) {
		const wanted = kind === "hits" ? "integrated_top" : kind;
		const page = await host.call("manual_hits", { trace_id: found.trace, kind: wanted, offset, limit: PAGE });
		if (kind === "hits") return { total: page.total, items: page.items.map((row) => hitIn(row, found.manual)) };
		if (kind !== "conflicts") return page;
		const side = ({ ref, text }, words) => ({ manual: found.manual, path: ref.path, line: ref.start_line, text, words });
		return { total: page.total, items: page.items.map((row) => ({ sides: [row, ...row.conflict_with].map((one) => side(one, row.terms)) })) };
	},
	async read({ manual, path, line }) {
		const read = await host.call("manual_read", { ref: { manual_id: manual, path, start_line: line } });
		if (read.applied.mode === "read") return read.text;
		// Somebody has read this section before us, and the server goes on after it: from its line again.
		const scan = await host.call("manual_scan", { manual_id: manual, path, start_line: line });
		return sectionOf(scan.text);
	},
});

/** A text up to the next heading of the same level or above. */
function sectionOf(text) {
	const level = /^(#{1,6})\s/.exec(text)?.[1].length ?? 6;
	const next = new RegExp(`\\n#{1,${level}}\\s`).exec(text.slice(1));
	return next ? text.slice(0, next.index + 1) : text;
}
