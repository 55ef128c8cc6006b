// Rendered text: the server sends a tree; what is listed becomes an element.

import { h } from "./dom.js";
import { t } from "./words.js";

const TAGS = new Set("a blockquote br code em h1 h2 h3 h4 h5 h6 hr img li mark ol p pre s strong table tbody td th thead tr ul".split(" "));
const SAFE_LINK = /^(https?:|mailto:|#(read|notes)\?|\/ui\/api\/picture\?)/i;
const SAFE_PICTURE = /^\/ui\/api\/picture\?/;

/** An element for each node; a node is a text, or {tag, attrs, children}. */
export const built = (nodes) => nodes.flatMap(element);

function element(node) {
	if (typeof node === "string") return node;
	const { tag, attrs = {} } = node;
	const children = built(node.children ?? []);
	const { href, src, alt, title, start, line } = attrs;
	if (!TAGS.has(tag) || (tag === "a" && !SAFE_LINK.test(href))) return children;
	if (tag === "img") return SAFE_PICTURE.test(src) ? h("img", { src, alt: alt ?? "", title }) : h("span.soft", t("picture", { name: alt ?? "" }));
	const link = tag === "a" && { href, title, ...(href[0] !== "#" && { rel: "noreferrer noopener", target: "_blank" }) };
	const made = h(tag, { id: /^\d+$/.test(line) && `L${line}`, start: tag === "ol" && start, tabindex: tag === "pre" && 0, ...link }, children);
	return tag === "table" ? h("div.scroll", { tabindex: 0, role: "region", "aria-label": t("table") }, made) : made;
}
