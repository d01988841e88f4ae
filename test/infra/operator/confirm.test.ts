/** Who is asked before what cannot be undone. Nothing here reaches a gateway: the ready file is not there. */
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { runHere, type Terminals } from "#test/support/streams.ts";

const terminal: Terminals = { stdin: true, stderr: true };
const revoke = "key revoke key_1 --org org_1 --local --ready-file /nowhere".split(" ");
const question =
  "The key key_1 is refused from its next call on. It can never be made valid again.\nGo on? [y/N] ";
const wentOn = "no local gateway is running";

test.each(["y\n", "yes\n", "Y\n", " y \n"])("goes on after %j", async (typed) => {
  const { code, out, error } = await runHere(revoke, terminal, typed);
  expect(stripVTControlCharacters(error)).toContain(question);
  expect(error).toContain(wentOn);
  expect([code, out]).toEqual([2, ""]);
});

test.each(["n\n", "\n", "", "no\n", "yesterday\n"])("does nothing after %j", async (typed) => {
  const { code, error } = await runHere(revoke, terminal, typed);
  expect(code).toBe(2);
  expect(error).toContain("nothing was done\n");
  expect(error).not.toContain(wentOn);
});

test.each<[string, string[], Terminals]>([
  ["with --yes", ["--yes"], terminal],
  ["with --json", ["--json"], terminal],
  ["without a terminal", [], {}],
  ["where the answer would come from a file", [], { stderr: true }],
  ["where the question would go to a file", [], { stdin: true, stdout: true }],
])("is not asked %s", async (_, flags, terminals) => {
  const { error } = await runHere([...revoke, ...flags], terminals);
  expect(error).not.toContain("Go on?");
  expect(error).toContain(wentOn);
});

test.each([
  ["sweep --older-than 0", "Every call older than 0 s is closed and charged, also one that still runs."],
  ["org plan org_1 --plan pro", "org_1 changes to the plan pro."],
  ["org lapse org_1", "The subscription of org_1 ends now."],
  ["org lapse org_1 --at 2027-01-01T00:00:00Z", "The subscription of org_1 ends 2027-01-01T00:00:00.000Z."],
  ["org credit org_1 --points -5 --reference r", "-5 points are booked to the wallet of org_1 under r."],
  ["task resolve VTK-1 --failed", "The task VTK-1 is settled as failed: nothing is charged."],
  ["task resolve VTK-1 --succeeded", "The task VTK-1 is settled as succeeded: it is charged."],
])("%s says what it does for good", async (line, said) => {
  const { error } = await runHere(
    [...line.split(" "), "--local", "--ready-file", "/nowhere"],
    terminal,
    "n\n",
  );
  expect(error).toContain(said);
});

test("a sweep as the schedule does it is not asked about", async () => {
  const { error } = await runHere(["sweep", "--local", "--ready-file", "/nowhere"], terminal);
  expect(error).not.toContain("Go on?");
});
