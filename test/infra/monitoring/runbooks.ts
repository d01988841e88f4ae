/** The runbooks of alarms: their names, headings, commands and what they name of the code. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { shellWords } from "../../support/manual.ts";

const folder = join(import.meta.dirname, "../../../infra/runbooks");

/** A page by its alarm. */
export interface Runbook {
  alarm: string;
  text: string;
}

/** The headings that every page has, in this order, and those that some pages have after them. */
export const headings = ["What it means", "First look", "What to do"];
export const furtherHeadings = ["What not to do", "When it is over"];

/** All pages but the list of them. */
export function runbooks(): Runbook[] {
  return readdirSync(folder)
    .filter((name) => name !== "README.md")
    .map((name) => ({ alarm: name.replace(/\.md$/, ""), text: readFileSync(join(folder, name), "utf8") }));
}

/** The page that lists the others. */
export function listOfRunbooks(): string {
  return readFileSync(join(folder, "README.md"), "utf8");
}

/** The headings of a page with the text below each. */
export function sectionsOf({ text }: Runbook): [heading: string, body: string][] {
  const [, ...sections] = text.split(/^## /m);
  return sections.map((section) => {
    const [heading = "", ...lines] = section.split("\n");
    return [heading, lines.join("\n").trim()];
  });
}

/** The operator's command lines of a text, as words: those of code blocks, and those within a sentence. */
export function commandsIn(text: string): string[][] {
  const blocks = [...text.matchAll(/npm run -s operator -- (.+?)`?$/gm)].map(([, line = ""]) => line);
  const inline = [...text.matchAll(/`operator ([^`]+)`/g)].map(([, line = ""]) => line);
  return [...blocks, ...inline].map((line) => shellWords(line.replace(/`.*$/, "").trim()));
}

/** Words of the form `some_event` that a text names as code. */
export function eventsIn(text: string): string[] {
  return [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name = ""]) => name);
}
