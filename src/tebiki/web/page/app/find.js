// The MCP App: what manual_find gave, in the host's window; sections are read on through the host.

import { clear, h, notice } from "../static/dom.js";
import { Host, foundIn, hostSource } from "./host.js";
import { prose } from "./prose.js";
import "../static/results.js";
import { speak, t } from "../static/words.js";

const tables = JSON.parse(document.getElementById("words").textContent);
const host = new Host(window.parent);
const results = document.querySelector("tebiki-results");
const asked = {};

function dress({ theme, locale, styles }) {
	if (theme) document.documentElement.style.colorScheme = theme;
	for (const [name, value] of Object.entries(styles?.variables ?? {})) if (value) document.documentElement.style.setProperty(name, value);
	if (locale) {
		const language = locale.startsWith("ja") ? "ja" : "en";
		document.documentElement.lang = language;
		speak(tables[language], language);
	}
}

async function read(event) {
	event.preventDefault();
	const { item, ...hit } = event.detail;
	const shown = item.querySelector(".prose");
	if (shown) return void (shown.hidden = !shown.hidden);
	const place = h("div.prose", t("working"));
	item.append(place);
	try {
		clear(place, ...prose(await results.source.read(hit), hit.words));
	} catch (failure) {
		clear(place, notice(failure.message));
	}
}

async function begin() {
	host.on("ui/notifications/tool-input", ({ arguments: given = {} }) => Object.assign(asked, given));
	host.on("ui/notifications/tool-result", (result) => {
		if (result.isError) results.rest(notice(t("app.failed")));
		else results.show(foundIn(result.structuredContent ?? JSON.parse(result.content[0].text)), { text: asked.query });
	});
	host.on("ui/notifications/tool-cancelled", () => results.rest(notice(t("cancelled"), "warn")));
	host.on("ui/notifications/host-context-changed", dress);
	results.source = hostSource(host);
	results.addEventListener("open-section", read);
	const { hostContext } = await host.request("ui/initialize", {
		appInfo: { name: "tebiki", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26",
	});
	dress({ locale: navigator.language, ...hostContext });
	results.rest(h("p.soft", { role: "status" }, t("working")));
	host.notify("ui/notifications/initialized");
	new ResizeObserver(() => {
		const { scrollWidth: width, scrollHeight: height } = document.documentElement;
		host.notify("ui/notifications/size-changed", { width, height });
	}).observe(document.body);
}

begin();
