// Health: what the doctor found, the models, the manuals and who is connected.

import { get } from "./api.js";
import { clear, h, headed, soft, table } from "./dom.js";
import { date, day, locale, number, t } from "./words.js";

export async function show(stage) {
	const [health, clients] = await Promise.all([get("health"), get("clients").catch(() => null)]);
	const [faults, warnings, good] = ["fault", "warning", "ok"].map((level) => health.findings.filter((one) => one.verdict === level));
	const told = [...faults, ...warnings];
	const worst = told[0]?.verdict ?? "ok";
	const finding = (one) => h("div.finding", h("span", { class: one.verdict }, t(`verdict.${one.verdict}`)), h("div", h("p", one.words), one.advice && soft(one.advice)));
	const part = (title, heads, rows) => h("section", h("h2", t(title)), rows.length ? table(t(title), heads.map((key) => t(key)), rows) : soft(t("none")));
	clear(stage,
		headed(t("screen.health"), h("span", { class: worst }, t(`health.all.${worst}`))),
		h("div", told.map(finding), good.length > 0 && h("details.plain", h("summary", t("health.good", { n: good.length })), good.map(finding))),
		part("health.manuals", ["manual", "health.files", "health.sections", "health.size", "health.age"], health.manuals.map((one) => [one.id, ...(one.error ? [one.error] : [number(one.files), number(one.sections), `${number(one.index_bytes / 1000)} kB`, one.index_time ? ago(one.index_time) : t("health.no.index")])])),
		part("health.models", ["usage.model", "health.shutdown"], health.models.map((one) => [one.model, one.shutdown_date ? date(one.shutdown_date) : t("health.none.known")])),
		clients && part("health.clients", ["health.client", "health.seen"], clients.clients.map((one) => [`${one.name || one.principal} ${one.version}`, ago(one.seen)])),
	);
}

function ago(value) {
	const seconds = (day(value) - Date.now()) / 1000;
	const [unit, size] = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]].find(([, size]) => -seconds >= size || size === 1);
	return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(Math.round(seconds / size), unit);
}
