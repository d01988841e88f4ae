/**
 * The operator's command line (design §6): organizations, keys, the catalog, the sweep and the audit.
 * `--local` works on the gateway started by `npm start`; otherwise on a deployed stage.
 */
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { nearest } from "#shared/platform/nearest.ts";
import { connectLocally, connectToStack, localReadyFile } from "./connection.ts";
import type { Command, Flags } from "./operator-call.ts";
import { commands } from "./operator-commands.ts";

const usage = `npm run -s operator -- [--local [--ready-file FILE] | --stage NAME] [--catalog FILE] COMMAND [--json]

${Object.entries(commands)
  .map(([name, { synopsis }]) => `  ${name} ${synopsis}`)
  .join("\n")}`;

const options = {
  local: { type: "boolean" },
  "ready-file": { type: "string" },
  stage: { type: "string" },
  catalog: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean" },
  name: { type: "string" },
  plan: { type: "string" },
  period: { type: "string" },
  points: { type: "string" },
  reference: { type: "string" },
  kind: { type: "string" },
  org: { type: "string" },
  mode: { type: "string" },
  project: { type: "string" },
  "manage-keys": { type: "boolean" },
  "older-than": { type: "string" },
  at: { type: "string" },
  rpm: { type: "string" },
  tpm: { type: "string" },
  tpd: { type: "string" },
  "max-concurrency": { type: "string" },
  "budget-points": { type: "string" },
  "budget-period": { type: "string" },
  count: { type: "string" },
  expired: { type: "boolean" },
  succeeded: { type: "boolean" },
  failed: { type: "boolean" },
  seconds: { type: "string" },
  after: { type: "string" },
  limit: { type: "string" },
  from: { type: "string" },
  to: { type: "string" },
  format: { type: "string" },
  "as-of": { type: "string" },
  source: { type: "string" },
  model: { type: "string" },
  "points-per-usd": { type: "string" },
  providers: { type: "string" },
  out: { type: "string" },
  add: { type: "string" },
  force: { type: "boolean" },
  version: { type: "string" },
  fill: { type: "boolean" },
} as const;

// Who has read enough, such as `head`, closes the pipe: that is the end, and no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

async function main(): Promise<number> {
  const { values, positionals } = parseWords(withAmounts(process.argv.slice(2)));
  const found = Object.entries(commands)
    .map(([name, command]) => ({ words: name.split(" "), command }))
    .find(({ words }) => words.every((word, index) => positionals[index] === word));
  if (values.help || positionals[0] === "help") {
    console.log(usage);
    return 0;
  }
  if (!found) {
    console.error(positionals.length === 0 ? usage : unknownCommand(positionals));
    return 2;
  }
  const { command, words } = found;
  const operands = positionals.slice(words.length);
  const surplus = operands.slice(operandsOf(command));
  if (surplus.length > 0)
    throw new Error(
      `${words.join(" ")} takes no ${surplus.join(" ")}; its form is: ${words.join(" ")} ${command.synopsis}`,
    );
  const known = flagsOf(command);
  const foreign = Object.keys(values).filter((name) => !known.has(name));
  if (foreign.length > 0) throw new Error(`${words.join(" ")} takes no --${foreign.join(", no --")}`);
  if (values.local && values.stage !== undefined) throw new Error("give either --local or --stage");
  if (values["ready-file"] !== undefined && !values.local) throw new Error("--ready-file goes with --local");
  const flags: Flags = values;
  const place = () =>
    values.local
      ? Promise.resolve(connectLocally(values["ready-file"] ?? localReadyFile))
      : connectToStack(values.stage ?? "prod");
  const outcome = await command.run({ flags, operands, place });
  // A pipeline waits for a slow reader, so an export of any length takes no more memory than a page of it.
  if ("text" in outcome) await pipeline(outcome.text, process.stdout, { end: false });
  else console.log(values.json ? JSON.stringify(outcome.value) : render(outcome.value));
  return outcome.ok ? 0 : 1;
}

/** What a person is told of an error. A file that was named wrongly is no fault of the program. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  return code === "ENOENT" && path ? `there is no file ${path}` : error.message;
}

/** Flags and words. Throws on a flag that no command knows, with the one that may have been meant. */
function parseWords(args: string[]) {
  const flags = new Set(Object.keys(options));
  for (const arg of args) {
    if (arg === "--") break;
    const name = /^--([^=]+)/.exec(arg)?.[1];
    if (name === undefined || flags.has(name)) continue;
    const [near] = nearest(name, flags);
    throw new Error(
      `there is no flag --${name}${near ? `; did you mean --${near}?` : "."} --help lists them all.`,
    );
  }
  return parseArgs({ args, options, allowPositionals: true });
}

/** What to say of a command that there is not: the nearest ones, else those that begin as it does. */
function unknownCommand(words: string[]): string {
  const names = Object.keys(commands);
  const said = words.slice(0, 2).join(" ");
  const [near] = [...nearest(said, names), ...nearest(words[0] ?? "", names)];
  const kin = names.filter((name) => name.split(" ")[0] === words[0]);
  const others = kin.length > 0 ? ` It has: ${kin.join(", ")}.` : "";
  const named = words.slice(0, kin.length > 0 ? 2 : 1).join(" ");
  const hint = near ? `; did you mean ${near}?` : `.${others}`;
  return `there is no command ${near ? said : named}${hint} --help lists them all.`;
}

/** `--points -5` as `--points=-5`: the parser takes a word that begins with a dash for a flag. */
function withAmounts(words: string[]): string[] {
  return words.flatMap((word, at) => {
    if (words[at - 1] === "--points" && /^-[\d.]/.test(word)) return [];
    const next = words[at + 1] ?? "";
    return word === "--points" && /^-[\d.]/.test(next) ? [`${word}=${next}`] : [word];
  });
}

/** How many words a command takes after its name: the capitals its synopsis begins with. */
function operandsOf({ synopsis }: Command): number {
  return (/^(?:[A-Z]+(?: |$))*/.exec(synopsis)?.[0] ?? "").split(" ").filter(Boolean).length;
}

/** Flags that every command takes: where it works, and how it answers. */
const common = ["local", "ready-file", "stage", "catalog", "json"];

/** The flags a command takes: those its synopsis names. Another would be no narrower a command, as it may look. */
function flagsOf({ synopsis }: Command): ReadonlySet<string> {
  return new Set([...common, ...[...synopsis.matchAll(/--([a-z-]+)/g)].map(([, name = ""]) => name)]);
}

/** A value for people: one `name: value` a line, nested values indented, rows of a list on one line each under their names. */
function render(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null) return `${indent}${String(value)}`;
  if (Array.isArray(value))
    return renderRows(value)
      .map((row) => indent + row)
      .join("\n");
  return Object.entries(value)
    .map(([name, child]) => {
      const nested = typeof child === "object" && child !== null && Object.keys(child).length > 0;
      if (nested) return `${indent}${name}:\n${render(child, `${indent}  `)}`;
      return `${indent}${name}: ${typeof child === "object" ? JSON.stringify(child) : String(child)}`;
    })
    .join("\n");
}

function renderRows(rows: unknown[]): string[] {
  const [first] = rows;
  if (first === undefined) return ["none"];
  if (typeof first !== "object" || first === null) return rows.map(String);
  return columns([Object.keys(first), ...rows.map((row) => Object.values(row as object).map(cellOf))]);
}

function cellOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Cells in columns as wide as their widest one; nothing is behind the last. */
function columns(table: string[][]): string[] {
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = 2;
}
