/** Redacts what a provider says, as it may quote our key or name our account. Codes that do so are dropped. */
import { limits } from "../../base/limits.ts";

/** What a client must not learn about the provider. */
export interface Confidential {
  /** Keys, tokens, and what signs: everything that shows who calls. */
  secrets: readonly string[];
  base_url: string;
}

/** This many characters of the secret in a row, in any letter case, count as a part of it. */
const partChars = 8;

/** Addresses: with a scheme, an IP with or without a port, a name with a port, and a public host name. */
const addresses = [
  /(?<![a-z0-9+.-])[a-z0-9+.-]*:\/\/\S+/gi,
  /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w.]*\w)/g,
  /\[(?=[0-9a-f.]*:)[0-9a-f:.]*\](?::\d{1,5})?/gi,
  // A time of day has two colons. An address without `::` has at least five.
  /(?<![\w:])(?=[0-9a-f:]*::|(?:[0-9a-f]{1,4}:){5})(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{1,4}(?![\w:])/gi,
  /(?<![\w.-])(?:[a-z0-9-]+\.)+[a-z0-9-]+:\d{2,5}\b/gi,
  /(?<![\w.-])localhost(?::\d{1,5})?\b/gi,
  /(?<![\w.-])(?:[a-z0-9-]+\.)+(?:com|net|org|io|ai|cn|dev|app|cloud|internal|local|lan|corp)(?![\w-])(?:[/:]\S*)?/gi,
];

/** Keys of any vendor, and account ids. */
const credentials = [
  /\bbearer\s+\S+/gi,
  /\b(?:sk|pk|ak|api|key|org|proj|acct)[-_][\w*.-]{6,}/gi,
  /\bAIza[\w-]{10,}/g,
  /\barn:aws[\w-]*:[^\s"',;)\]]+/g,
];

/** The same for a code, which is one word. A word such as `api_key_invalid` names no account. */
const credentialCodes = /(?:^|[^a-z])(?:sk|pk|ak|org|proj|acct)-[\w-]{6,}|AIza[\w-]{10,}/i;

/** A provider's message without our key, our account and addresses, at most `limits.errorMessageBytesMax` long. */
export function redact(message: string, { secrets, base_url }: Confidential): string {
  // Much more than is shown is kept here, so that a key at this cut cannot get into what is shown.
  let text = message.slice(0, 8 * limits.errorMessageBytesMax);
  for (const { from, to } of partsOfAll(secrets, text).reverse()) {
    text = `${text.slice(0, from)}[redacted]${text.slice(to)}`;
  }
  text = replaceAll(text, credentials, "[redacted]");
  text = replaceAll(text, [...addresses, ...hostsOf(base_url)], "[address]");
  return (
    text
      .replace(/[\r\n\0]+/g, " ")
      .slice(0, limits.errorMessageBytesMax)
      // The store cannot keep half of a surrogate pair, whether it was cut here or came like that.
      .toWellFormed()
  );
}

/** A provider's code, if it is one word of plain characters that tells nothing confidential; else undefined. */
export function safeCode(code: string, told: Confidential): string | undefined {
  if (!/^[\w.-]{1,64}$/.test(code) || credentialCodes.test(code) || tells(code, told)) return undefined;
  return code;
}

/** The name of a request's field, such as `messages[0].content`, if it tells nothing confidential; else undefined. */
export function safeParam(param: string, told: Confidential): string | undefined {
  if (!/^[\w.$[\]-]{1,128}$/.test(param) || credentialCodes.test(param) || tells(param, told))
    return undefined;
  return param;
}

/** Whether a text holds the key or a part of it, or an address. */
function tells(text: string, { secrets, base_url }: Confidential): boolean {
  if (tellsSecret(text, { secrets })) return true;
  return [...addresses, ...hostsOf(base_url)].some((pattern) => text.search(pattern) !== -1);
}

/** Whether a text holds the key or a part of it. Addresses are allowed, for texts that are one. */
export function tellsSecret(text: string, { secrets }: Pick<Confidential, "secrets">): boolean {
  return secrets.some((secret) => partsOf(secret, text).length > 0);
}

function replaceAll(text: string, patterns: RegExp[], instead: string): string {
  return patterns.reduce((rest, pattern) => rest.replace(pattern, instead), text);
}

/** The provider's own host, with or without a port. */
function hostsOf(base_url: string): RegExp[] {
  if (!URL.canParse(base_url)) return [];
  const { hostname } = new URL(base_url);
  return hostname === "" ? [] : [new RegExp(`${RegExp.escape(hostname)}(?::\\d{1,5})?`, "gi")];
}

interface Range {
  from: number;
  to: number;
}

function partsOfAll(secrets: readonly string[], text: string): Range[] {
  return merge(secrets.flatMap((secret) => partsOf(secret, text)));
}

/** Where a text holds parts of the secret: plain, percent-encoded, base64 or hex. In order, without overlaps. */
function partsOf(secret: string, text: string): Range[] {
  if (secret === "") return [];
  const size = Math.min(partChars, secret.length);
  const parts = new Set(formsOf(secret).flatMap((form) => piecesOf(form.toLowerCase(), size)));
  const plain = Array.from({ length: text.length }, (_, at) => at);
  const ranges = [
    ...findParts(text, [...plain, text.length], parts, size),
    ...findParts(...percentDecoded(text), parts, size),
  ];
  return merge(ranges);
}

/** The forms in which a secret may be quoted. Base64 has three, for each position within three bytes. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    // The characters at either end also carry bits of what is next to the secret.
    const clean = padded.subarray(0, padded.length - (padded.length % 3));
    const text = clean.toString("base64").slice(before === 0 ? 0 : 4);
    return [text, text.replaceAll("+", "-").replaceAll("/", "_")];
  });
  return [secret, bytes.toString("hex"), ...base64];
}

function piecesOf(text: string, size: number): string[] {
  return Array.from({ length: Math.max(0, text.length - size + 1) }, (_, at) => text.slice(at, at + size));
}

/** Every place where a text has a part; `places` are the characters' positions in the original, and its end. */
function findParts(text: string, places: number[], parts: Set<string>, size: number): Range[] {
  const lower = lowerCase(text);
  const ranges: Range[] = [];
  for (let at = 0; at + size <= lower.length; at++) {
    if (!parts.has(lower.slice(at, at + size))) continue;
    ranges.push({ from: places[at] ?? 0, to: places[at + size] ?? 0 });
  }
  return ranges;
}

/** ASCII in lower case. Some other letters become two characters in lower case, which would shift the places. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** A text with percent-encoded ASCII decoded, and the position of each character, and of the end, in the original. */
function percentDecoded(text: string): [text: string, places: number[]] {
  const places: number[] = [];
  let decoded = "";
  for (const { 0: found, index } of text.matchAll(/%[0-7][0-9a-f]|./gis)) {
    decoded += found.length === 3 ? String.fromCharCode(Number.parseInt(found.slice(1), 16)) : found;
    places.push(index);
  }
  return [decoded, [...places, text.length]];
}

function merge(ranges: Range[]): Range[] {
  const merged: Range[] = [];
  for (const range of ranges.sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && range.from <= last.to) last.to = Math.max(last.to, range.to);
    else merged.push({ ...range });
  }
  return merged;
}
