// The words of the page in one language; numbers and days as people there write them.

let spoken = {};
export let locale = "en";

export function speak(words, language) {
	spoken = words;
	locale = language;
}

/** The words for a key; `{name}` is filled in, "one|many" is chosen by `n`. */
export function t(key, values = {}) {
	const words = (spoken[key] ?? key).split("|");
	return words[values.n === 1 ? 0 : words.length - 1].replace(/\{(\w+)\}/g, (whole, name) => {
		const value = values[name];
		return typeof value === "number" ? number(value) : (value ?? whole);
	});
}

/** The words for a key, or something else where there are none. */
export const said = (key, other, values) => (key in spoken ? t(key, values) : other);

export const number = (value, digits = 0, style = {}) => value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits, ...style });
export const dollars = (value) => number(value, value && value < 1 ? 4 : 2, { style: "currency", currency: "USD" });

export const day = (value) => new Date(typeof value === "number" ? value * 1000 : value);
export const date = (value, timeStyle) => day(value).toLocaleString(locale, { dateStyle: "medium", timeStyle });
