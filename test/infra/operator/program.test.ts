/** How the operator's command line is read: the table of commands, its help, and what is refused. */
import { describe, expect, test } from "vitest";
import { formOf } from "#infra/operator/command.ts";
import { type HelpStreams, parse } from "#infra/operator/program.ts";
import { commonFlags } from "#infra/operator/refusals.ts";
import { allGroups, commandsOf, groupsFor } from "#infra/operator/table.ts";
import { shellWords as wordsOf } from "#test/support/manual.ts";
import { runHere } from "#test/support/streams.ts";

const groups = await allGroups();
const commands = commandsOf(groups);
const nowhere = { stdout: process.stdout, stderr: process.stderr } as HelpStreams;

const refusal = async (line: string) => {
  const { code, out, error } = await runHere(wordsOf(line));
  expect([code, out]).toEqual([2, ""]);
  return error.trimEnd();
};

describe("the table", () => {
  test.each(commands.map((command) => [command.words, command] as const))(
    "%s has an example that can be run",
    (words, command) => {
      const examples = Object.keys(command.examples);
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples) {
        const asked = parse(wordsOf(`${words} ${example}`), groups, nowhere);
        expect(asked.command.words).toBe(words);
        expect(asked.operands).toHaveLength(command.operands?.length ?? 0);
        for (const [name, flag] of Object.entries(command.flags)) flag.read(asked.given[name], `--${name}`);
      }
    },
  );

  test.each(commands.map(({ words }) => words))(
    "%s is in the group that its first word loads",
    async (words) => {
      const own = commandsOf(await groupsFor(words.split(" ")));
      expect(own.map((command) => command.words)).toContain(words);
      expect(own.length).toBeLessThan(commands.length);
    },
  );

  test("a command's own flags are none of those that every command takes", () => {
    const own = commands.flatMap(({ flags }) => Object.keys(flags));
    expect(own.filter((name) => Object.hasOwn(commonFlags, name))).toEqual([]);
  });

  test("these commands cannot be undone", () => {
    const lasting = commands.filter(({ forGood }) => forGood).map(({ words }) => words);
    const money = ["org credit", "org lapse", "org plan", "sweep", "task resolve"];
    expect(lasting.sort()).toEqual(
      [
        ...money,
        "accounts drop",
        "accounts rotate",
        "bills withdraw",
        "invoice issue",
        "invoice reject",
        "invoice void",
        "key revoke",
        "month close",
        "order refund",
        "order review",
        "pepper drop",
        "pepper rotate",
        "restore",
        "secret remove",
        "token revoke",
      ].sort(),
    );
  });
});

describe("help", () => {
  test("of all lists every command, and goes to standard error with 2 where nothing was asked", async () => {
    const { code, out, error } = await runHere(["--help"]);
    expect([code, error]).toEqual([0, ""]);
    for (const { words } of commands) expect(out).toMatch(new RegExp(`^  ${words}( |$)`, "m"));
    for (const { title } of groups) expect(out).toContain(`${title}:`);
    expect(await runHere([])).toEqual({ code: 2, out: "", error: out });
    expect(await runHere(["help"])).toEqual({ code: 0, out, error: "" });
  });

  test("of a group lists its commands", async () => {
    const { code, out } = await runHere(["org", "--help"]);
    expect(code).toBe(0);
    expect(out).toContain("org create");
    expect(out).not.toContain("key create");
    expect(await runHere(["org"])).toEqual({ code: 2, out: "", error: out });
  });

  test.each(commands.map((command) => [command.words, command] as const))(
    "of %s has what it does, its flags and its examples",
    async (words, command) => {
      const { code, out, error } = await runHere([...words.split(" "), "--help"]);
      expect([code, error]).toEqual([0, ""]);
      expect(out).toContain(`Usage: npm run -s operator -- ${formOf(command)}\n`);
      const flat = out.replaceAll(/\s+/g, " ");
      for (const text of [command.what.slice(1), ...(command.more ? [command.more] : [])])
        expect(flat).toContain(text);
      for (const [name, { what, value }] of Object.entries({ ...command.flags, ...commonFlags }))
        expect(flat).toContain(
          `--${name}${value ? ` ${value}` : ""} ${command.flags[name]?.needed ? "needed: " : ""}${what}`,
        );
      for (const [more, what] of Object.entries(command.examples)) {
        expect(out).toContain(`  npm run -s operator -- ${`${words} ${more}`.trimEnd()}\n`);
        expect(out).toContain(`      ${what}\n`);
      }
      expect(flat.includes("cannot be undone: at a terminal")).toBe(command.forGood !== undefined);
    },
  );

  test("has titles in bold at a terminal alone", async () => {
    const bold = "\u001b[1mUsage:\u001b[22m";
    expect((await runHere(["--help"], { stdout: true })).out).toContain(bold);
    expect((await runHere(["--help"])).out).not.toContain("\u001b[");
  });
});

describe("what is refused", () => {
  test.each([
    ["sweep --org org_1 --older-than 0", "sweep takes no --org"],
    ["org show org_1 --points 1 --at now", "org show takes no --points, no --at"],
    [
      "org craete --name N",
      "there is no command org craete; did you mean org create? --help lists them all.",
    ],
    ["adit --help", "there is no command adit; did you mean audit? --help lists them all."],
    [
      "--local org craete -h",
      "there is no command org craete; did you mean org create? --help lists them all.",
    ],
    ["--ready-file audit frobnicate --help", "there is no command frobnicate. --help lists them all."],
    ["adit", "there is no command adit; did you mean audit? --help lists them all."],
    ["frobnicate all", "there is no command frobnicate. --help lists them all."],
    ["org create --nmae N", "there is no flag --nmae; did you mean --name? --help lists them all."],
    ["key list --jsno", "there is no flag --jsno; did you mean --json? --help lists them all."],
    ["org list -x", "there is no flag -x. --help lists them all."],
    ["org show org_1 org_2", "org show takes no org_2; its form is: org show ID"],
    ["holds --older-than 5 now", "holds takes no now; its form is: holds [--older-than SECONDS]"],
    ["org show", "give the id of the organization; org list shows it"],
    ["org grant org_1", "give the permission: AVG_V2, manage_keys"],
    ["org list --limit", "--limit needs a value"],
    ["org list --limit 0", "--limit takes 1 to 9999"],
    ["key list", "--org is needed"],
    ["key list --org=", "--org is needed"],
    ["key create --org o --mode free", "--mode must be one of subscription, payg"],
    ["--org org_1 key list", "give the flags of a command after its name; --help lists all commands."],
    ["--local --stage prod redrive", "give either --local or --stage"],
    ["redrive --ready-file ready.json", "--ready-file goes with --local"],
    ["task resolve VTK-1 --failed --succeeded", "give either --succeeded or --failed"],
    ["catalog check /nowhere/catalog.json", "there is no file /nowhere/catalog.json"],
    [
      "org list --local --ready-file /nowhere/ready.json",
      "no local gateway is running (/nowhere/ready.json cannot be read); start one with npm start",
    ],
  ])("%s", async (line, told) => {
    expect(await refusal(line)).toBe(told);
  });

  test("a command that none is near is told those that begin as it does", async () => {
    expect(await refusal("org frobnicate")).toMatch(
      /^there is no command org frobnicate\. It has: org create, /,
    );
  });
});

test("flags of the place go before the command or after it, and a value may begin with a dash", () => {
  const read = (line: string) => parse(wordsOf(line), groups, nowhere);
  const place = { local: true, readyFile: "r.json", json: true, yes: false };
  for (const line of [
    "--local --ready-file r.json --json org list",
    "org list --json --ready-file r.json --local",
  ])
    expect(read(line).common).toMatchObject(place);
  expect(read("org credit org_1 --points -5 --reference r").given).toMatchObject({ points: "-5" });
});
