/**
 * References to documents, as comments, tests and documents write them, and what each one finds. A reference is a
 * document's name and what stands in it, for example `protocols.md §1.2, pitfall 14` or `billing.md fault 27 and S18`.
 * Two documents have a short name: `contract §4.9`, `design §4 "Plans"`. A title in quotes names a section or a row.
 * `pitfall 16` and `fault 27` may stand alone: they are those of protocols.md and of billing.md. A section alone, such
 * as `§2.4`, is of the same document, and only documents have it. Links of Markdown are references too.
 */
import { basename, dirname, join } from "node:path/posix";

/** The text of files by their path from the root. */
export type Files = ReadonlyMap<string, string>;

interface Checked {
  /** References that were looked up. */
  count: number;
  /** Each one that finds nothing, as `file:line what`. */
  broken: string[];
}

/** What can be found in a document. */
interface Outline {
  anchors: Set<string>;
  /** Sections, and numbered items in them: `2.4`, `2.4.4`. */
  sections: Set<string>;
  /** Headings, leads in bold, and first cells of tables, in lower case. */
  titles: Set<string>;
  /** Rows with a number of their own: `pitfall 14`, `F27`, `S18`, `I5`, `V16`. */
  rows: Set<string>;
  /** Documents in which sections of this one go on. */
  continued: string[];
}

/** Documents that the product writes while it runs, and that nobody finds in the tree. */
const written = new Set(["snippets.md"]);
const short: Record<string, string> = { design: "shared/design.md", contract: "shared/contract.md" };

const number = String.raw`\d+(?:\.\d+)*`;
const several = String.raw`\d+(?:(?:–|,\s+|\s+and\s+)\d+)*`;
const item = String.raw`(?:§${number}(?:–${number})?|(?:pitfall|fault)s?\s+${several}|[FSIV]\d+(?:\s+to\s+[FSIV]\d+)?|"[^"]+")`;
const name = String.raw`(?:(?<![\w./}-])[\w./-]*[\w-]\.md\b|\b[Dd]esign\b|\b[Cc]ontract\b|\bREADME\b)`;
const reference = new RegExp(`(${name})\`?(?:,?\\s+(${item}(?:(?:,|;|,?\\s+and)?\\s+${item})*))?`, "g");
const items = new RegExp(item, "g");
const alone = new RegExp(String.raw`\b(?:pitfall|fault)s?\s+${several}`, "g");
const standard = /RFC \d+ §[\d.]+/g;

/** Looks up every reference in `files`. `documents` are those that may be referred to, which are checked as well. */
export function checkReferences(files: Files, documents: Files): Checked {
  const library = new Library(documents);
  const checked: Checked = { count: 0, broken: [] };
  for (const [file, text] of new Map([...files, ...documents])) {
    const isDocument = documents.has(file);
    const plain = isDocument ? withoutFences(text) : withoutMargins(text);
    const found = [
      ...namedReferences(file, plain, library, isDocument),
      ...(isDocument ? linksOf(file, plain, library) : []),
    ];
    checked.count += found.length;
    for (const { at, what, why } of found) {
      if (why) checked.broken.push(`${file}:${text.slice(0, at).split("\n").length} ${what}: ${why}`);
    }
  }
  return checked;
}

/** A reference, where it begins in its file, and why it finds nothing. */
interface Found {
  at: number;
  what: string;
  why?: string | undefined;
}

function namedReferences(file: string, text: string, library: Library, isDocument: boolean): Found[] {
  const found: Found[] = [];
  const outside = isDocument ? text.replace(/\]\([^)\s]*\)/g, blank) : text;
  let rest = outside.replace(/https?:\/\/\S+/g, blank).replace(standard, blank);
  for (const match of rest.matchAll(reference)) {
    const [what, document = "", list] = match;
    const isWord = !document.endsWith(".md");
    if ((isWord && !/^[§"]/.test(list ?? "")) || written.has(basename(document))) continue;
    const at = match.index;
    const path = library.find(document, file);
    rest = rest.slice(0, at) + blank(what) + rest.slice(at + what.length);
    if (typeof path !== "string") found.push({ at, what: document, why: path.why });
    else found.push(...(list ? lookUp(list, at, path, library) : [{ at, what: document }]));
  }
  for (const match of rest.matchAll(alone)) {
    const path = match[0].startsWith("p")
      ? "shared/calls/protocols/protocols.md"
      : "shared/books/billing/billing.md";
    found.push(...lookUp(match[0], match.index, path, library));
  }
  const own = /§(\d+(?:\.\d+)*)/g;
  for (const { 0: what, index } of rest.matchAll(own)) {
    const why = isDocument ? library.missing(what, file) : "names no document";
    found.push({ at: index, what, why });
  }
  return found;
}

/** Each item of a list such as `§2.2, pitfalls 19 and 20`. */
function lookUp(list: string, at: number, path: string, library: Library): Found[] {
  return [...list.matchAll(items)].flatMap(({ 0: text }) =>
    parts(text.replace(/\s+/g, " ")).map((what) => ({ at, what, why: library.missing(what, path) })),
  );
}

/** `pitfalls 19 and 20` is two items, and a range is its two ends. */
function parts(text: string): string[] {
  const [, kind = "", numbers = ""] = /^(pitfall|fault)s? (.+)$/.exec(text) ?? [];
  if (kind)
    return (numbers.match(/\d+/g) ?? []).map((each) => (kind === "fault" ? `F${each}` : `${kind} ${each}`));
  if (text.startsWith("§"))
    return text
      .slice(1)
      .split("–")
      .map((each) => `§${each}`);
  return text.startsWith('"') ? [text] : text.split(" to ");
}

function linksOf(file: string, text: string, library: Library): Found[] {
  const links = text.replace(/`[^`\n]*`/g, blank).matchAll(/\]\(([^)\s]+)\)/g);
  return [...links].flatMap(({ 1: target = "", index }) => {
    if (/^[a-z]+:/.test(target)) return [];
    return [{ at: index, what: target, why: library.missingLink(target, file) }];
  });
}

/** The documents there are, and the files that links may lead to. */
class Library {
  readonly #outlines: Map<string, Outline>;

  constructor(documents: Files) {
    this.#outlines = new Map([...documents].map(([path, text]) => [path, outlineOf(path, text)]));
  }

  /** The path of a document by a name in `from`, or why there is none: it must be there exactly once. */
  find(text: string, from: string): string | { why: string } {
    const path = short[text.toLowerCase()] ?? text;
    const exact = [join(dirname(from), path), path].find((each) => this.#outlines.has(each));
    if (exact !== undefined) return exact;
    const same = [...this.#outlines.keys()].filter((each) => each.endsWith(`/${path}`));
    if (same.length === 1 && same[0] !== undefined) return same[0];
    return { why: same.length === 0 ? "no such document" : `may be ${same.join(" or ")}` };
  }

  /** Why `what` is not to be found in a document, or undefined where it is there. */
  missing(what: string, path: string): string | undefined {
    const own = this.#outlines.get(path);
    const all = [own, ...(own?.continued ?? []).map((each) => this.#outlines.get(each))];
    const isThere = all.some((outline) => outline && has(outline, what));
    return isThere ? undefined : `${path} has no ${what}`;
  }

  /** Why a link leads nowhere, or undefined where it leads to a document and its heading, or to another file. */
  missingLink(target: string, from: string): string | undefined {
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? from : join(dirname(from), path);
    const outline = this.#outlines.get(file);
    if (!outline) return file.endsWith(".md") ? "no such document" : undefined;
    if (anchor === undefined || outline.anchors.has(anchor)) return undefined;
    return `${file} has no heading for it`;
  }
}

function has({ sections, titles, rows }: Outline, what: string): boolean {
  if (what.startsWith("§")) return sections.has(what.slice(1));
  if (what.startsWith('"')) return titles.has(what.slice(1, -1).toLowerCase());
  return rows.has(what);
}

function outlineOf(path: string, document: string): Outline {
  const text = withoutFences(document);
  const outline: Outline = {
    anchors: new Set(),
    sections: new Set(),
    titles: new Set(),
    rows: new Set(),
    continued: [...text.matchAll(/^This section stands in \[[^\]]*\]\(([^)#]+)\)/gm)].map((match) =>
      join(dirname(path), match[1] ?? ""),
    ),
  };
  let section = "";
  let title = "";
  for (const line of text.split("\n")) {
    const heading = /^#{1,6} (?:(\d+(?:\.\d+)*)\.? )?(.*)$/.exec(line);
    if (heading) {
      section = heading[1] ?? section;
      title = plainText(heading[2] ?? "");
      outline.anchors.add(anchorOf(line.replace(/^#+ /, ""), outline.anchors));
      if (heading[1]) outline.sections.add(section);
      outline.titles.add(title.toLowerCase());
    }
    const listed = /^(\d+)\. /.exec(line);
    if (listed && section) outline.sections.add(`${section}.${listed[1]}`);
    const cell = plainText(/^\| ([^|]+?) \|/.exec(line)?.[1] ?? "");
    if (/^[FSIV]\d+$/.test(cell)) outline.rows.add(cell);
    else if (/^\d+$/.test(cell) && /pitfalls/i.test(title)) outline.rows.add(`pitfall ${cell}`);
    const lead = /^\s*(?:[-*] |\d+\. )?\*\*([^*]+?)[.:]?\*\*/.exec(line)?.[1];
    for (const each of [cell, lead]) if (each) outline.titles.add(each.toLowerCase());
  }
  return outline;
}

/** The anchor that GitHub gives a heading; of several alike the later ones have a number. */
function anchorOf(heading: string, taken: ReadonlySet<string>): string {
  const slug = plainText(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
  let anchor = slug;
  for (let n = 1; taken.has(anchor); n++) anchor = `${slug}-${n}`;
  return anchor;
}

function plainText(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "");
}

/** Spaces of the same length, so that what follows keeps its place. */
function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

/** A document without its examples. */
function withoutFences(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, blank);
}

/** Code whose comments run on over the ends of their lines. */
function withoutMargins(text: string): string {
  return text.replace(/\n[ \t]*(?:\*|\/\/)(?=[ \t])/g, (margin) => `\n${blank(margin.slice(1))}`);
}
