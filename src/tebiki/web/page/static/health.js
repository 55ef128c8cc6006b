// Health: what the doctor found, the models, the manuals and who is connected.

import { get } from "./api.js";
import { h, headed, soft, table } from "./dom.js";
import { ago, bytes, date, number, t } from "./words.js";

export async function show(stage) {
	const [health, clients] = await Promise.all([get("health"), get("clients").catch(() => null)]);
	const found = ["fault", "warning", "ok"].flatMap((level) => health.findings.filter((one) => one.verdict === level));
	const worst = found[0]?.verdict ?? "ok";
	const finding = (one) => h("div.finding", h("span", { class: one.verdict }, t(`verdict.${one.verdict}`)), h("div", h("p", one.words), one.advice && soft(one.advice)));
	const part = (title, heads, rows) => h("section", h("h2", t(title)), rows.length ? table(t(title), heads.map((key) => t(key)), rows) : soft(t("none")));
	stage.append(
		headed(t("screen.health"), h("span", { class: worst }, t(`health.all.${worst}`))),
		h("div", found.map(finding)),
		part("health.manuals", ["manual", "health.files", "health.sections", "health.size", "health.age"], health.manuals.map((one) => [one.id, ...(one.error ? [one.error] : [number(one.files), number(one.sections), bytes(one.index_bytes), one.index_time ? ago(one.index_time) : t("health.no.index")])])),
		part("health.models", ["usage.model", "health.shutdown"], health.models.map((one) => [one.model, one.shutdown_date ? date(one.shutdown_date) : t("health.none.known")])),
		clients && part("health.clients", ["health.client", "health.seen"], clients.clients.map((one) => [`${one.name || one.principal} ${one.version}`, ago(one.seen)])),
	);
}
