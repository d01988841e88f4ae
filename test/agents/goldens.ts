/**
 * What the programs really send, as goldens that `npm test` replays. They have no ids, days, folders or machines in them.
 * Long texts are cut: a mark says how many characters are left out, and a reader fills them in again.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Passed } from "../sdk/front.ts";

/** Whose request it is. */
interface About {
  program: string;
  version: string;
  play: string;
}

/** A request of a program's. */
interface Golden extends About {
  /** The path at the gateway. */
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

const folder = join(import.meta.dirname, "../golden/agents");

/** The plays whose last turn is kept, each with the protocols of the providers behind it. */
export const kept: Readonly<Record<string, readonly string[]>> = {
  "two-turns": ["responses", "anthropic"],
  picture: ["anthropic"],
  "sixty-tools": ["gemini"],
};

/** Headers that say something of the request, and not of its sender. */
const told = /^(?:content-type|anthropic-(?:version|beta)|x-gateway-.*)$/;

/** A text is cut where it is longer. */
const textMax = 300;
const [before, after] = [160, 60];

/** Cuts a long text. */
export function cut(text: string): string {
  if (text.length <= textMax) return text;
  const left = text.length - before - after;
  return `${text.slice(0, before)}⟦${left}⟧${text.slice(-after)}`;
}

/** A text with as many characters as it had before it was cut. */
export function grown(text: string): string {
  return text.replace(/⟦(\d{1,7})⟧/g, (_, left: string) =>
    "words ".repeat(Number(left) / 6 + 1).slice(0, Number(left)),
  );
}

/** What is another in each session, and what stands in its place. */
const changing: readonly [RegExp, string][] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "00000000-0000-4000-8000-000000000000"],
  [/\b[0-9a-f]{64}\b/g, "0".repeat(64)],
  [/\b20\d\d-\d\d-\d\d\b/g, "2026-01-01"],
  [/\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \w+ \d{1,2}, \d{4}/g, "Thursday, January 1, 2026"],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} \d{2} \d{4}/g, "Thu Jan 01 2026"],
  [/\bLinux \d[\w.-]*/g, "Linux 6.0"],
  [/(?:\/private)?\/tmp\/agent-\w+\/(work|home)/g, "/$1"],
  [/\bagent-\w{6}\b/g, "agent"],
];

function scrubbed(text: string): string {
  return changing.reduce((all, [pattern, instead]) => all.replace(pattern, instead), text);
}

/** Every text of a value, changed. */
function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapped(item, change)]));
}

/** Keeps one request. The name of its file says which one it is. */
export function keepGolden(name: string, { path, headers, body }: Passed, about: About): void {
  const text = scrubbed(body.toString());
  const golden: Golden = {
    ...about,
    path: scrubbed(path),
    headers: Object.fromEntries(
      Object.entries(headers).filter(([key]) => told.test(key)),
    ) as Golden["headers"],
    body: mapped(JSON.parse(text), cut) as Golden["body"],
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(golden)}\n`);
}

/** All of them by the names of their files, with their texts as long as they were. */
export function readGoldens(): [name: string, golden: Golden][] {
  return readdirSync(folder).map((file) => {
    const golden = JSON.parse(readFileSync(join(folder, file), "utf8")) as Golden;
    return [file.replace(/\.json$/, ""), { ...golden, body: mapped(golden.body, grown) as Golden["body"] }];
  });
}
