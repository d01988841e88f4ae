/** Every alarm has a page that says what to do, and every page names commands, events and fields that there are. */
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { joinedAlarms, joinedLines } from "#infra/monitoring/alarm-lines.ts";
import { rollbackAlarms } from "#infra/monitoring/rollback.ts";
import { parse } from "#infra/operator/program.ts";
import { allGroups } from "#infra/operator/table.ts";
import {
  commandsIn,
  eventsIn,
  furtherHeadings,
  headings,
  listOfRunbooks,
  type Runbook,
  runbooks,
  sectionsOf,
} from "#test/infra/monitoring/runbooks.ts";
import { resourcesOf, text } from "#test/support/template.ts";

const root = join(import.meta.dirname, "../../..");
const scratch = mkdtempSync(join(tmpdir(), "runbooks-test-"));
const pages = runbooks();
const groups = await allGroups();
const code = globSync("{shared,functions,infra}/**/*.ts", { cwd: root })
  .map((file) => readFileSync(join(root, file), "utf8"))
  .join("\n");
let alarms: [id: string, description: string][];

beforeAll(() => {
  const certificateArn = "arn:aws:acm:us-east-1:123456789012:certificate/abc";
  const service = { name: "api.example.com", certificateArn };
  const stages = [{ front: "both" as const }, { front: "service" as const, service }];
  const resources = stages.flatMap((settings) => resourcesOf({ stage: "prod", outdir: scratch, settings }));
  const found = resources
    .filter(([, { Type }]) => Type === "AWS::CloudWatch::Alarm")
    .map(([name, { Properties }]) => [name.replace(/^Alarms/, ""), Properties.AlarmDescription] as const);
  // Most alarms are in both.
  alarms = [...new Map(found)];
});

afterAll(() => rmSync(scratch, { recursive: true }));

/** The pages that alarms send to: of a joined alarm one for each of its lines. */
const sent = () =>
  alarms.flatMap(([, description]) => {
    const lines = /PAGE\.md: (.+)$/.exec(description)?.[1];
    if (lines !== undefined) return lines.split(", ").map((line) => line.split(" ")[1] ?? "");
    return [/(\w+)\.md$/.exec(description)?.[1] ?? ""];
  });

test("every page is one that an alarm sends to, no alarm sends elsewhere, and all of them are in the list", () => {
  const ids = sent().sort();
  expect(pages.map(({ alarm }) => alarm).sort()).toEqual(ids);
  const [, list = ""] = listOfRunbooks().split("## The alarms");
  const listed = [...list.matchAll(/\[(\w+)\]\(\1\.md\)( ↩)?/g)];
  expect(listed.map(([, id]) => id).sort()).toEqual(ids);
  const marked = listed.filter(([, , mark]) => mark).map(([, id]) => id);
  expect(marked.sort()).toEqual([...new Set(Object.values(rollbackAlarms).flat())].sort());
});

test("the description of an alarm ends with its page, or with the pages of its lines, within what CloudWatch takes", () => {
  for (const [id, description] of alarms) {
    const isJoined = id in joinedAlarms;
    const end = isJoined
      ? "each in infra/runbooks/PAGE\\.md: (\\w+ \\w+, )+\\w+ \\w+"
      : `infra/runbooks/${id}\\.md`;
    expect(text(description)).toMatch(new RegExp(`\\. What to do[:,] ${end}$`));
    expect(text(description).length).toBeLessThanOrEqual(1_024);
  }
});

test("the page of a line that shares its alarm shows how to read the line", () => {
  for (const { id, line } of joinedLines) {
    expect(pages.find(({ alarm }) => alarm === id)?.text, id).toContain(line.value);
  }
});

/** The command lines of a page that the operator's parser refuses, with its reason. */
function refused(words: string[]): string[] {
  try {
    parse(words, groups, process);
    return [];
  } catch (error) {
    return [`${words.join(" ")}: ${(error as Error).message}`];
  }
}

/** Whether a word stands as a text or as the name of a field somewhere in the code. */
const isInCode = (name: string) => new RegExp(`"${name}"|\\b${name}\\??:|\\b${name},`).test(code);

describe.each(pages.map((page): [string, Runbook] => [page.alarm, page]))("%s", (alarm, page) => {
  it("has its name as title, and says something under each heading", () => {
    expect(page.text.split("\n")[0]).toBe(`# ${alarm}`);
    const sections = sectionsOf(page);
    const names = sections.map(([heading]) => heading);
    expect(names).toEqual([...headings, ...furtherHeadings.filter((heading) => names.includes(heading))]);
    for (const [heading, body] of sections) expect(body.length, heading).toBeGreaterThan(20);
  });

  it("shows where to look with a command or a query", () => {
    const [, look] = sectionsOf(page).find(([heading]) => heading === "First look") ?? [];
    expect(look).toMatch(/^```(?:sh)?$/m);
  });

  it("gives commands that the operator takes, and names events and fields of the code", () => {
    expect(commandsIn(page.text).flatMap(refused)).toEqual([]);
    const logged = commandsIn(page.text).flatMap(([first, event]) => (first === "logs" ? [event ?? ""] : []));
    expect(logged.filter((name) => !code.includes(`"${name}"`))).toEqual([]);
    expect(eventsIn(page.text).filter((name) => !isInCode(name))).toEqual([]);
  });
});

test("the page about missing points gives commands that the operator takes, and names events of the code", () => {
  const page = readFileSync(join(root, "infra/operator/paid-no-points.md"), "utf8");
  const commands = commandsIn(page);
  expect(commands.length).toBeGreaterThan(8);
  expect(commands.flatMap(refused)).toEqual([]);
  const logged = commands.flatMap(([first, event]) => (first === "logs" ? [event ?? ""] : []));
  expect(logged.filter((name) => !code.includes(`"${name}"`))).toEqual([]);
  expect(eventsIn(page).filter((name) => !isInCode(name))).toEqual([]);
});

test("the list itself gives commands that the operator takes", () => {
  const commands = commandsIn(listOfRunbooks());
  expect(commands.length).toBeGreaterThan(2);
  expect(commands.flatMap(refused)).toEqual([]);
});
