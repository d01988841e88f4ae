/**
 * The one table of both matrices, `test/sdk/MATRIX.md`, and that of the coding agents: each run writes and compares the sections of its own part.
 * A section is one feature; its rows are clients and its columns are provider protocols, or the like. Pure: text
 * goes in and text comes out.
 */

/** What a run saw in one cell. `n.a.` and `fails` say why in a few words, and `ok` may say what it came to. */
export type Verdict = "ok" | `ok: ${string}` | `n.a.: ${string}` | `fails: ${string}`;

/** One cell of a run, in any order. Clients, features and columns stand in the table as they first come. */
export interface Cell {
  /** The row, such as `openai 7, chat`. */
  client: string;
  /** The section, such as `streamed`. */
  feature: string;
  /** The column, such as `anthropic`: the protocol of the provider, or what else tells cells apart. */
  provider: string;
  verdict: Verdict;
}

/** The runs that keep a part of the table. */
type Part = "JavaScript" | "Python" | "Coding agents";

const title = (part: Part) => `## ${part}`;
const distinct = (values: string[]) => [...new Set(values)];
const text = (value: string) => value.replace(/\s+/g, " ").replaceAll("|", "\\|").trim();

/**
 * The Markdown of one part: a heading, and for each feature a table of clients × providers. Rejects a cell given twice.
 */
export function partOf(part: Part, cells: readonly Cell[]): string {
  const sections = distinct(cells.map(({ feature }) => feature)).map((feature) => {
    const own = cells.filter((cell) => cell.feature === feature);
    const columns = distinct(own.map(({ provider }) => provider));
    const rows = distinct(own.map(({ client }) => client)).map((client) => {
      const verdicts = columns.map((column) => {
        const [cell, twin] = own.filter((one) => one.client === client && one.provider === column);
        if (twin) throw new Error(`${client}, ${feature}, ${column} is given twice`);
        return text(cell?.verdict ?? "");
      });
      return `| ${[text(client), ...verdicts].join(" | ")} |`;
    });
    const head = `| Client | ${columns.map(text).join(" | ")} |`;
    return [`### ${text(feature)}`, "", head, `|${"---|".repeat(columns.length + 1)}`, ...rows].join("\n");
  });
  return [title(part), ...sections].join("\n\n");
}

/** The cells of one part of a table, as `partOf` wrote them. None where the part is not there. */
export function cellsOf(part: Part, table: string): Cell[] {
  const cells: Cell[] = [];
  let inside = false;
  let feature = "";
  let columns: string[] = [];
  for (const line of table.split("\n")) {
    if (line.startsWith("## ")) inside = line === title(part);
    if (!inside) continue;
    if (line.startsWith("### ")) feature = line.slice(4);
    if (!line.startsWith("| ")) continue;
    const [first = "", ...rest] = line
      .slice(2, -2)
      .split(" | ")
      .map((value) => value.replaceAll("\\|", "|").trim());
    if (first === "Client") columns = rest;
    else {
      for (const [at, verdict] of rest.entries()) {
        if (verdict)
          cells.push({ client: first, feature, provider: columns[at] ?? "", verdict: verdict as Verdict });
      }
    }
  }
  return cells;
}

/** The table with one part replaced, or added at its end. The other parts and the introduction stay as they are. */
export function withPart(table: string, part: Part, cells: readonly Cell[]): string {
  const blocks = table.trimEnd().split(/\n+(?=## )/);
  const fresh = partOf(part, cells);
  const at = blocks.findIndex((block) => block.split("\n")[0] === title(part));
  if (at < 0) blocks.push(fresh);
  else blocks[at] = fresh;
  return `${blocks.join("\n\n")}\n`;
}

/** How a run differs from what the table says of its part, a sentence for each cell; empty where they agree. */
export function differences(part: Part, table: string, cells: readonly Cell[]): string[] {
  const nameOf = ({ client, feature, provider }: Cell) =>
    `${text(client)}, ${text(feature)}, ${text(provider)}`.replaceAll("\\|", "|");
  const verdicts = (all: readonly Cell[]) =>
    new Map(all.map((cell) => [nameOf(cell), text(cell.verdict).replaceAll("\\|", "|")]));
  const kept = verdicts(cellsOf(part, table));
  const seen = verdicts(cells);
  return distinct([...kept.keys(), ...seen.keys()])
    .filter((name) => kept.get(name) !== seen.get(name))
    .map((name) => {
      const [before, now] = [kept.get(name), seen.get(name)];
      if (before === undefined) return `${name}: the table does not have it; this run saw "${now}"`;
      if (now === undefined) return `${name}: the table says "${before}"; this run did not try it`;
      return `${name}: the table says "${before}"; this run saw "${now}"`;
    });
}

/** How many cells of each kind there are, as one line. */
export function countsOf(cells: readonly Cell[]): string {
  const count = (start: string) => cells.filter(({ verdict }) => verdict.startsWith(start)).length;
  return `${count("ok")} ok, ${count("n.a.")} n.a., ${count("fails")} fail`;
}
