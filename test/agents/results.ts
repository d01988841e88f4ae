/** What the last run saw: `results.json`, and `MATRIX.md`, which is made of it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pageOf } from "#test/house/pages/page.ts";
import { type Cell, countsOf, partOf } from "../sdk/table.ts";
import { endsTitle } from "./ends.ts";
import { plays } from "./plays.ts";
import { programs } from "./programs.ts";
import { unnamedTitle } from "./unnamed.ts";

/** A cell, with what differs from run to run, such as seconds. */
export interface Seen extends Cell {
  told?: string;
}

interface Results {
  /** The day of the last run that was kept. */
  day: string;
  /** The version of each program, by its name. */
  versions: Record<string, string>;
  cells: Seen[];
}

const file = join(import.meta.dirname, "results.json");
const matrixFile = join(import.meta.dirname, "MATRIX.md");

export function readResults(): Results {
  return JSON.parse(readFileSync(file, "utf8")) as Results;
}

/** Keeps results, and writes the table that shows them. */
export function keepResults(results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(matrixFile, matrixOf(results));
}

const intro = `\`npm run agents\` plays with the programs as their registries serve them. A scripted provider stands behind the gateway. It
speaks one protocol, which is the column, and refuses what that vendor refuses. In every cell that is \`ok\` the file is
written and the text arrived. The program asked nothing twice, and reached for no host but loopback. Its bill is the sum of
its calls to the last digit. What the provider can cache of the conversation is the same from turn to turn, unless the
program changed it itself. \`n.a.\` says why a program cannot play, and an empty
cell that it was not tried yet.`;

const endsIntro = `Under “no model named” a program has the gateway's address and a key, and calls the model that it has by itself. A
cell says which model answered, or what its person read of a 404, and after how long. In the tables of errors a cell says after how many seconds the program ended by itself, and what its
person reads last. More than 15 s are a fault, but for what may pass: a rate limit, and a provider that is down. Programs
wait for those by their own rules, and tell a person at a terminal of it.`;

/** The Markdown of the table. */
export function matrixOf({ day, versions, cells }: Results): string {
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const shown = cells.map(({ told, ...cell }): Cell => {
    return told === undefined ? cell : { ...cell, verdict: `${cell.verdict}: ${told}` as Cell["verdict"] };
  });
  const about = `Seen on ${day} with ${named.join(", ")}: ${countsOf(cells)}.`;
  return pageOf({
    title: "What was seen to work with each coding agent",
    from: "test/agents/results.json",
    text: [intro, endsIntro, about, partOf("Coding agents", shown)].join("\n\n"),
  });
}

/** Cells in the order of the plays, and of the programs in each. */
export function inOrder(cells: readonly Seen[]): Seen[] {
  const rank = (names: string[], name: string) =>
    (names.indexOf(name) + names.length + 1) % (names.length + 1);
  const [titles, clients] = [
    [...plays.map(({ title }) => title), unnamedTitle, endsTitle],
    programs.map(({ name }) => name),
  ];
  const place = ({ feature, client }: Seen) => rank(titles, feature) * 100 + rank(clients, client);
  return cells.toSorted((one, other) => place(one) - place(other));
}
