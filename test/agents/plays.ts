/** The plays, and what has to be true after each (script.ts has what is said in them). */
import type { Verdict } from "../sdk/table.ts";
import { firstChange } from "./prefix.ts";
import type { Program } from "./programs.ts";
import type { Heard } from "./provider.ts";
import { fileOf, lastWords } from "./script.ts";
import { type Played, pictureText } from "./session.ts";

export interface Play {
  name: string;
  /** The heading of its table. */
  title: string;
  /** The steps whose files are there in the end. */
  files: readonly number[];
  /** Stands in the prompt. */
  before?: string;
  interruptMs?: number;
}

/** After which a program has hung: some take a minute for two turns where the cores are busy. */
export const programMs = 400_000;

/** Some 200,000 tokens, by the usual four characters for each. No line is like another. */
const longText = Array.from({ length: 10_000 }, (_, at) => {
  return `Line ${at} of a text that is long, and says nothing but that it is number ${at}.`;
}).join("\n");

/** In the order of the table. */
export const plays: readonly Play[] = [
  { name: "two-turns", title: "two turns, one tool", files: [1] },
  { name: "picture", title: "a picture", files: [] },
  { name: "sixty-tools", title: "sixty tools of an MCP server", files: [2] },
  { name: "long", title: "200,000 tokens", files: [1], before: `${longText}\n` },
  { name: "ten-turns", title: "ten turns", files: [1, 2, 3, 4, 5, 6, 7, 8, 9] },
  { name: "silence", title: "90 s of silence", files: [] },
  { name: "cancelled", title: "a cancelled turn", files: [], interruptMs: 2_000 },
];

/** What is wrong with a session of a play, or nothing. `files` are in its folder. */
export function faultOf(
  play: Play,
  program: Program,
  played: Played,
  { files, heard }: { files: readonly string[]; heard: readonly Heard[] },
): Verdict {
  const fails = (why: string): Verdict => `fails: ${why}`;
  const turns = played.passed.filter(({ method, path }) => method === "POST" && program.turns.test(path));
  const refused = heard.find((one) => one.refused)?.refused;
  if (refused) return fails(`the provider refuses: ${refused.rule}`);
  const bad = turns.find(({ status }) => status >= 400);
  if (bad) return fails(`a turn came to ${bad.status}`);
  if (played.hung) return fails(`no end after ${programMs / 1000} s`);
  const isCut = play.interruptMs !== undefined;
  if (played.code !== 0 && !isCut) return fails(`it ended with ${played.code}`);
  const missing = play.files.map(fileOf).find((file) => !files.includes(file));
  if (missing) return fails(`${missing} is not written`);
  if (!isCut && !played.printed.includes(lastWords)) return fails("the text did not arrive");
  if (play.name === "picture" && !heard.some(({ body }) => JSON.stringify(body).includes(pictureText))) {
    return fails("the picture did not arrive");
  }
  const bodies = turns.map(({ body }) => body.toString());
  if (new Set(bodies).size < bodies.length) return fails("it asked again");
  const outside = played.outside.filter((host) => !program.asks?.includes(host));
  if (outside.length > 0) return fails(`it reaches for ${outside.join(", ")}`);
  return (
    prefixFault(
      turns.map(({ body }) => body),
      heard,
    ) ?? "ok"
  );
}

/** The prefix that the provider gets stays as long as the one that the program sends. */
function prefixFault(sent: readonly Buffer[], heard: readonly Heard[]): Verdict | undefined {
  const main = heard.filter(({ body }) => Array.isArray(body.tools) && body.tools.length > 0);
  const ours = firstChange(main.map(({ body }) => body));
  if (ours < 0) return undefined;
  const theirs = firstChange(sent.map((body) => JSON.parse(body.toString())));
  return theirs < 0 ? `fails: piece ${ours} of the prefix changed on the way` : undefined;
}
