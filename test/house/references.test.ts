/** Every document that code, tests and documents refer to is there, and so is the section that they name. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { faultsAndThreats } from "#test/guards/rows.ts";
import { checkReferences, type Files } from "#test/house/references.ts";

const root = new URL("../../", import.meta.url).pathname;
/** What speaks of references, and names some that are not there. */
const ownFiles = new Set(["test/house/references.test.ts", "test/house/references.ts"]);

function filesUnder(folder: string, ending: RegExp): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

const textOf = (paths: string[]): Files =>
  new Map(
    paths.filter((path) => !ownFiles.has(path)).map((path) => [path, readFileSync(join(root, path), "utf8")]),
  );

const folders = ["shared", "functions", "infra", "console", "terminal", "test", ".github"];
const documents = textOf(["README.md", ...folders.flatMap((folder) => filesUnder(folder, /\.md$/))]);
const code = textOf(folders.flatMap((folder) => filesUnder(folder, /\.(?:ts|tsx|mjs|js|yml)$/)));

test("every reference finds its document and its section", () => {
  const { count, broken } = checkReferences(code, documents);
  expect(broken).toEqual([]);
  expect(count).toBeGreaterThan(300);
});

test("every fault and threat of the guards, and every invariant of the simulation, has its row", () => {
  const invariants = [...code]
    .filter(([file]) => file.startsWith("test/simulation/"))
    .flatMap(([, text]) => text.match(/\bI\d\b/g) ?? []);
  const ids = new Set([...faultsAndThreats.map(({ id }) => id), ...invariants]);
  const comment = [...ids].map((id) => `// billing.md ${id}`).join("\n");
  const { broken } = checkReferences(new Map([["ids.ts", comment]]), documents);
  expect(broken.filter((each) => each.startsWith("ids.ts"))).toEqual([]);
  expect(invariants).not.toEqual([]);
});

test("every pitfall has a test that names its number", () => {
  const tests = [...code].filter(([file]) => file.endsWith(".test.ts")).map(([, text]) => text);
  const named = tests.flatMap((text) => text.match(/\bpitfalls? \d+(?:(?:, | and )\d+)*/g) ?? []);
  const numbers = new Set(named.flatMap((each) => each.match(/\d+/g) ?? []).map(Number));
  const rows = documents.get("shared/calls/protocols/conversions.md")?.match(/^\| \d+ \|/gm) ?? [];
  expect(rows.map((row) => Number(row.slice(2, -2)))).toEqual([...numbers].sort((a, b) => a - b));
});

test("every relative link to a file that is no document finds it", () => {
  const missing = [...documents].flatMap(([file, text]) =>
    [
      ...text
        .replace(/^```[\s\S]*?^```/gm, "")
        .replace(/`[^`\n]*`/g, "")
        .matchAll(/\]\(([^)\s#]+)[^)]*\)/g),
    ]
      .map(([, target = ""]) => target)
      .filter((target) => !/^[a-z]+:|\.md$/.test(target) && !existsSync(join(root, file, "..", target)))
      .map((target) => `${file}: ${target}`),
  );
  expect(missing).toEqual([]);
});

describe("a reference that finds nothing is told", () => {
  const library: Files = new Map([
    [
      "shared/vendors.md",
      [
        "# Vendors",
        "## 1. One",
        "1. first",
        "2. second",
        "### 1.1 A stream",
        "## 2. Pitfalls",
        "| 7 | lost |",
        "| F3 | late |",
        "## Left over",
        "| Hosts | one |",
        "## 4. More",
        "This section stands in [more.md](more.md).",
      ].join("\n"),
    ],
    ["shared/more.md", "# More\n### 4.1 Rest\n| S2 | spied |"],
    ["shared/contract.md", "# Contract\n## 4. Endpoints\n### 4.9 Keys"],
    ["a/twice.md", "# A"],
    ["b/twice.md", "# B"],
  ]);
  const broken = (comment: string, file = "x/code.ts") =>
    checkReferences(new Map([[file, comment]]), library).broken;

  test.each([
    "(vendors.md §1.1)",
    "(vendors.md §1.2, §2 and §4.1)",
    "(shared/vendors.md §1–2, pitfall 7; S2)",
    "(vendors.md fault 3 and F3)",
    'vendors.md, "Left over", vendors.md §1 "Hosts"',
    "`vendors.md` says it, contract §4.9 too",
    " * by contract\n * §4.9, or vendors.md\n * pitfall 7",
    "no design at all, and no contract either; RFC 9110 §11.6.1",
  ])("but not %j", (comment) => {
    expect(broken(comment)).toEqual([]);
  });

  test.each([
    ["(nowhere.md §1)", "nowhere.md: no such document"],
    ["(vendors.md §3)", "§3: shared/vendors.md has no §3"],
    ["(vendors.md §1.1 and §1.3)", "§1.3: shared/vendors.md has no §1.3"],
    ["(vendors.md pitfalls 7 and 8)", "pitfall 8: shared/vendors.md has no pitfall 8"],
    ["(vendors.md fault 4)", "F4: shared/vendors.md has no F4"],
    ["(vendors.md S3)", "S3: shared/vendors.md has no S3"],
    ['(vendors.md, "Right")', '"Right": shared/vendors.md has no "Right"'],
    ["(design §1)", "design: no such document"],
    ["the contract (§4.9)", "§4.9: names no document"],
    ["(Contract §5)", "§5: shared/contract.md has no §5"],
    ["(twice.md)", "twice.md: may be a/twice.md or b/twice.md"],
  ])("%j", (comment, told) => {
    expect(broken(comment)).toEqual([`x/code.ts:1 ${told}`]);
  });

  test("by the line it stands on", () => {
    expect(broken("one\n/**\n * (vendors.md §9)\n */")[0]).toMatch(/^x\/code\.ts:3 /);
  });

  test("in documents too: sections of their own, and links", () => {
    const page =
      "# Page\n## 1. One\nsee §1 and §2\n[a](#1-one) [b](#two) [c](vendors.md#11-a-stream) [d](gone.md)";
    const pages = new Map([...library, ["shared/page.md", page]]);
    expect(checkReferences(new Map(), pages).broken).toEqual([
      "shared/page.md:3 §2: shared/page.md has no §2",
      "shared/page.md:4 #two: shared/page.md has no heading for it",
      "shared/page.md:4 gone.md: no such document",
    ]);
  });
});
