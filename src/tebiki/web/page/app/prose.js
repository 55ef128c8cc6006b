// Markdown as it was written, laid out so that it reads well: for the app, which has no server to render it.

import { h, marked } from "../static/dom.js";

/** Elements for a text: headings, lists, code and paragraphs; everything else stays as it was typed. */
export function prose(text, words) {
	return laidOut(text.replaceAll("**", ""), words);
}

function laidOut(text, words) {
	const blocks = text.replace(/\r\n?/g, "\n").split(/(^```[\s\S]*?^```$|\n{2,})/m);
	return blocks.filter((block) => block.trim()).flatMap((block) => {
		if (block.startsWith("```") || /^(\||[ ]{4}|[{[]$)/m.test(block)) return h("pre", marked(block.replace(/^```.*\n?|```$/gm, ""), words));
		const heading = /^(#{1,6})\s+(.*)(?:\n([\s\S]*))?$/.exec(block.trim());
		if (heading) return [h(`h${Math.max(heading[1].length, 3)}`, marked(heading[2], words)), heading[3] ? laidOut(heading[3], words) : []].flat();
		const items = block.trim().split(/\n(?=[-*+] |\d+\. )/);
		if (/^([-*+]|\d+\.) /.test(items[0])) return h(/^\d/.test(items[0]) ? "ol" : "ul", items.map((item) => h("li", marked(item.replace(/^([-*+]|\d+\.) /, ""), words))));
		return h("p", marked(block.trim(), words));
	});
}
