/** The operator's manual, made from the table of commands and from what a session of them printed. */
import { type Command, type CommandCall, type CommandGroup, formOf } from "#infra/operator/command.ts";
import { type CommandLine, parse } from "#infra/operator/program.ts";
import { commonFlags } from "#infra/operator/refusals.ts";
import { commandsOf } from "#infra/operator/table.ts";
import { pageOf } from "#test/house/pages/page.ts";

/** What was typed after `npm run -s operator --`, and what came of it. */
export interface Shown {
  line: string;
  output: string;
}

/** What the page begins with, below its title. */
const head = `[How the commands are used](README.md) is a page of its own. The session ran on a local gateway, and \`--local\` is left
out. Where a record was shown above, \`…\` stands for those of its lines that are as they were there.
`;

/** So much of an output is shown. */
const linesMax = 40;
const columnsMax = 170;

/** The words of a line as a shell splits them, up to a redirection. */
export function shellWords(line: string): string[] {
  const before = line.replace(/ [|<>] .*/, "");
  return [...before.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

/** Every command under its group, with its flags and what it printed in the session. */
export function manualOf(
  groups: readonly CommandGroup[],
  session: ReadonlyMap<string, readonly Shown[]>,
): string {
  const records: Records = new Map();
  const parts = [
    head,
    "## Flags of every command\n",
    table(Object.entries(commonFlags).map(([name, flag]) => [flagName(name, flag.value), flag.what])),
    "## What cannot be undone\n",
    lasting(groups),
    ...groups.map(({ title, commands }) =>
      [`## ${title}\n`, ...commands.map((command) => sectionOf(command, session, records))].join("\n"),
    ),
  ];
  return pageOf({ title: "The operator's manual", from: "infra/operator", text: parts.join("\n") });
}

/** What each command that cannot be undone asks about, for the first example of which it asks. */
function lasting(groups: readonly CommandGroup[]): string {
  const asking = commandsOf(groups).filter(({ forGood }) => forGood);
  const rows = asking.flatMap((command) => {
    const sentences = Object.keys(command.examples).flatMap((words) => {
      const line = `${command.words} ${words}`.trimEnd();
      const said = askedBy(parse(shellWords(line), groups, process));
      return said === undefined ? [] : [[`\`${line}\``, said]];
    });
    return sentences.slice(0, 1);
  });
  return table(rows);
}

/** What is asked before a command line runs. */
function askedBy({ command, operands, given }: CommandLine): string | undefined {
  const flags = Object.entries(command.flags).map(([name, flag]) => [name, flag.read(given[name], name)]);
  const call = { flags: Object.fromEntries(flags), operands, operand: operands[0] } as unknown as CommandCall;
  return command.forGood?.(call);
}

function sectionOf(
  command: Command,
  session: ReadonlyMap<string, readonly Shown[]>,
  records: Records,
): string {
  const { words, what, more, operands = [], flags } = command;
  const rows = [
    ...operands.map(({ name, what: meaning }) => [`\`${name}\``, meaning]),
    ...Object.entries(flags).map(([name, flag]) => [
      flagName(name, flag.value),
      `${flag.needed ? "needed: " : ""}${flag.what}`,
    ]),
  ];
  return [
    `### ${words}\n`,
    `${what.charAt(0).toUpperCase()}${what.slice(1)}.${more ? ` ${more}` : ""}\n`,
    `\`\`\`\n${formOf(command)}\n\`\`\`\n`,
    ...(rows.length > 0 ? [table(rows)] : []),
    command.only === "stage" ? examplesOf(command) : consoleOf(session.get(words) ?? [], records),
  ].join("\n");
}

/** A line that was typed twice is shown once. */
function consoleOf(session: readonly Shown[], records: Records): string {
  const shown = [...new Map(session.map((each) => [each.line, each])).values()];
  return `\`\`\`console\n${shown.map((each) => shownOf(each, records)).join("\n")}\n\`\`\`\n`;
}

/** The examples of a command that needs a deployed stage, which the session does not have. */
function examplesOf({ words, examples }: Command): string {
  const rows = Object.entries(examples).map(([more, what]) => [`\`${words} ${more}\``, what]);
  return `It works on a deployed stage alone. Examples:\n\n${table(rows)}`;
}

function flagName(name: string, value: string | undefined): string {
  return `\`--${name}${value === undefined ? "" : ` ${value.replaceAll("|", "\\|")}`}\``;
}

function table(rows: readonly string[][]): string {
  return ["| | |", "|---|---|", ...rows.map((cells) => `| ${cells.join(" | ")} |`), ""].join("\n");
}

function shownOf({ line, output }: Shown, records: Records): string {
  // No example has a secret in it, be it one that nobody can use.
  const whole = output
    .replaceAll(/\b(sk-(?:payg|sub)-|gwadmin_)[\w-]+/g, "$1…")
    .trimEnd()
    .split("\n");
  const lines = newLines(whole, records);
  const cut = lines.slice(0, linesMax).map((text) => cutTo(text.replace(/\r$/, "")));
  const rest = lines.length > linesMax ? [`… ${lines.length - linesMax} more lines`] : [];
  return [`$ npm run -s operator -- ${line}`, ...cut, ...rest].join("\n");
}

/** The lines that the manual has shown of the last record of each kind, without what is chance. */
type Records = Map<string, ReadonlySet<string>>;

/** The lines of a record that its kind has not had before, with one … for several others. Other outputs stay whole. */
function newLines(lines: readonly string[], records: Records): readonly string[] {
  if (!/^(?:id|object): /.test(lines[0] ?? "")) return lines;
  const kind = lines.flatMap((line) => /^\w+(?=:)/.exec(line)?.[0] ?? []).join();
  const plain = lines.map(withoutChance);
  const before = records.get(kind);
  records.set(kind, new Set(plain));
  const isKnown = (at: number) => before?.has(plain[at] ?? "") === true;
  return lines.flatMap((line, at) => {
    if (!isKnown(at) || !(isKnown(at - 1) || isKnown(at + 1))) return [line];
    return isKnown(at - 1) ? [] : ["…"];
  });
}

function cutTo(text: string): string {
  return text.length > columnsMax ? `${text.slice(0, columnsMax)}…` : text;
}

/** A manual without what differs from one session to the next: ids, secrets, times, and how long things took. */
export function withoutChance(manual: string): string {
  return (
    manual
      // Ids of every kind: their prefixes have three letters. One may be cut at the end of a long line.
      .replaceAll(/\b([a-z]{3}_|VTK-)[0-9A-HJKMNP-TV-Z]+…?/g, "$1…")
      .replaceAll(/\b(?:20\d\d|4200)\d{24}\b/g, "<transaction>")
      .replaceAll(/\bINV-20\d\d-/g, "INV-<year>-")
      // The stage looks at orders of its own accord, and parts an hour's sums where it is busy.
      .replaceAll(/\b\d+ rollups of hours\b/g, "<some> rollups of hours")
      .replaceAll(/^((?:asked_at|tries): ).*$/gm, "$1…")
      .replaceAll(/_gw[\w-]{21}/g, "_gw…")
      .replaceAll(/\bcgt-[\w-]+/g, "cgt-…")
      .replaceAll(/\b20\d\d-\d\d-\d\dT[\d:.]*(?:Z|…)/g, "<instant>")
      .replaceAll(/\b20\d\d-\d\d(?:-\d\d)?\b/g, "<day>")
      .replaceAll(/\b\d+ ms\b/g, "<ms>")
      .replaceAll(/\b127\.0\.0\.1:\d+/g, "<address>")
      .replaceAll(/\([0-9a-f]{12}\)/g, "(<digest>)")
      .replaceAll(/\b[0-9a-f]{64}\b/g, "<sha256>")
      .replaceAll(/\bnode [\d.]+, cdk [\d.]+/g, "<tools>")
      // Where a long line is cut depends on the digits of its times.
      .replaceAll(/^([^\n]*?<ms>)[^\n]*…$/gm, "$1 …")
      // A busy machine answers slowly.
      .replaceAll(/^warn( +gateway +\S+ answered in <ms>), which is slow\n[^\n]*$/gm, "ok  $1")
      .replaceAll(/^(\d+ checks: ).*$/gm, "$1…")
      // The session's prices grow old.
      .replaceAll(/, \d+ of \d+ more than \d+ days ago/g, "")
      .replaceAll(/^ {2}prices more than \d+ days old [^\n]*\n/gm, "")
      .replaceAll(/^(last_four: ).*$/gm, "$1…")
      .replaceAll(/(age_seconds: |<instant> {2})\d+$/gm, "$1<age>")
      .replaceAll(/(active |revoked) {2}[\w-]{4} /g, "$1  …… ")
      .replaceAll(/ \d+( +(?:open|task|volcengine) )/g, " <age>$1")
  );
}
