/** The bundles of the functions: what is in their files, and which of these a function loads at its start. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundledCatalogName, bundleName, warmedName } from "#infra/bundles/bundle-files.ts";
import { bundleFunction } from "#infra/bundles/bundles.ts";
import { compileCatalog } from "#infra/catalog/catalog.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { variables } from "#shared/base/platform/env.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { functionNamed, openStack } from "#test/support/kept-stack.ts";
import { loadedFiles } from "#test/support/loaded-files.ts";
import { mutantsIn } from "#test/support/mutants-in.ts";

const scratch = mkdtempSync(join(tmpdir(), "bundles-test-"));
const names = ["gateway", "console", "settle", "sweep", "video-task", "learner"];
/** The folder of each function in the stack, by its name. */
const folders = new Map<string, string>();
const parts = new AsyncDisposableStack();
parts.defer(() => rmSync(scratch, { recursive: true }));
const environment = {
  ...Object.fromEntries(Object.values(variables).map((name) => [name, "1"])),
  [variables.phoneCountries]: "+86",
  [variables.gatewayUrl]: "https://gateway.example/",
};

beforeAll(async () => {
  const stack = await openStack(catalogFile, (remove) => parts.defer(remove));
  for (const name of names) folders.set(name, functionNamed(stack, logicalName(name)).directory);
});

afterAll(() => parts.disposeAsync());

/** What the template calls the function of a file: `VideoTask` that of `video-task`. */
function logicalName(file: string): string {
  return file.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** What every WebAssembly module begins with, in base64: in these bundles, undici's parser. */
const webAssembly = "AGFzbQ";

const isCode = (file: string) => file.endsWith(".cjs");
const folderOf = (name: string) => folders.get(name) ?? "";
const bundleOf = (name: string) => join(folderOf(name), bundleName);

/** The files that each function has loaded when it is ready. It is started once. */
const loadedAtStart = new Map<string, string[]>();
function loadedBy(name: string): string[] {
  const known = loadedAtStart.get(name) ?? loadedFiles(bundleOf(name), environment);
  loadedAtStart.set(name, known);
  return known;
}

/** How many models a function parses until it is ready: each is a text of its own, which begins with the model's id. */
function modelsParsedBy(name: string): number {
  const program = `const [parse, starts] = [JSON.parse, []];
  JSON.parse = (text, reviver) => { starts.push(String(text).slice(0, 6)); return parse(text, reviver); };
  globalThis.awslambda = { streamifyResponse: (handler) => handler };
  require(${JSON.stringify(bundleOf(name))}); console.log(starts.filter((start) => start === '{"id":').length); process.exit();`;
  const env = { ...environment, AWS_REGION: "us-east-1", AWS_ENDPOINT_URL: "http://127.0.0.1:9" };
  return Number(execFileSync(process.execPath, ["-e", program], { env, encoding: "utf8" }));
}

/** The files of code of a function. */
function codeOf(name: string): string[] {
  return readdirSync(folderOf(name))
    .filter(isCode)
    .map((file) => join(folderOf(name), file));
}

describe("at its start", () => {
  it.each(names)("%s loads one file of code", (name) => {
    expect(loadedBy(name).filter(isCode)).toEqual([bundleOf(name)]);
  });

  it("the gateway warms up where Lambda loads it, and is no other function then", () => {
    const loaded = loadedFiles(join(folderOf("gateway"), warmedName), environment);
    expect(loaded.filter((file) => /warm-up-\w+\.cjs$/.test(file))).toHaveLength(1);
    expect(loaded).toContain(bundleOf("gateway"));
  });

  it.each([
    ...names.flatMap((name) => (name === "learner" ? [] : [[name, 0] as const])),
    // The two that it asks.
    ["learner", 2] as const,
  ])("%s parses %i models of the catalog", (name, models) => {
    expect(modelsParsedBy(name)).toBe(models);
  });

  it.each([
    ["gateway", 346],
    ["settle", 96],
    ["sweep", 176],
    ["video-task", 338],
    ["learner", 471],
    ["console", 492],
  ])("%s loads at most %i KB of code", (name, most) => {
    const files = loadedBy(name).filter(isCode);
    expect(files).toContain(bundleOf(name));
    const bytes = files.reduce((total, file) => total + statSync(file).size, 0);
    expect(bytes).toBeLessThanOrEqual(most * 1024);
  });

  it.each([
    [
      "gateway",
      [
        "warm-up",
        "local-operations",
        "translation",
        "idempotency",
        "refused-hold",
        "smaller-call",
        "cached-call",
        "seek",
        "semantic-ports",
        "sessions",
        "wallet-growth",
        "race",
        "fallback",
        "open-telemetry",
        "pages",
        "read-refusal",
        "provider-answers",
        ...["aws-role", "google", "azure", "bedrock", "vertex", "converse"],
      ],
    ],
    ["settle", ["cache-statistics", "open-telemetry"]],
    ["console", ["aliyun", "tencent", "aws", "inbox", "ses", "mail-words", "tell-news"]],
  ])("%s leaves out what not every call needs: %s", (name, parts) => {
    const loaded = loadedBy(name);
    const later = codeOf(name).filter((file) => !loaded.includes(file));
    const labels = later.map((file) => basename(file).replace(/-[0-9A-Z]{8}\.cjs$/, ""));
    expect(labels).toEqual(expect.arrayContaining(parts));
  });
});

describe("the files", () => {
  it("have AWS's clients where nobody waits and few are run, and else in none that calls start with", () => {
    const has = (name: string, text: RegExp) =>
      codeOf(name).some((file) => text.test(readFileSync(file, "utf8")));
    for (const name of ["gateway", "settle", "sweep"])
      expect([name, has(name, /smithy|aws-sdk/i)]).toEqual([name, false]);
    const answering = loadedBy("console").filter(isCode);
    for (const file of answering) expect(readFileSync(file, "utf8")).not.toMatch(/smithy|aws-sdk/i);
    for (const name of ["video-task", "learner"])
      expect([name, has(name, /"@aws-sdk\/client-dynamodb"/)]).toEqual([name, true]);
  });

  it.each(["gateway", "settle", "sweep", "video-task", "learner"])(
    "of %s have undici in a part that its start does not load",
    (name) => {
      const loaded = loadedBy(name);
      const holdsParser = (file: string) => readFileSync(file, "utf8").includes(webAssembly);
      const [part = "", ...others] = codeOf(name).filter(holdsParser);
      expect([others, loaded.filter(holdsParser)]).toEqual([[], []]);
      // A part finds what it shares with the start in the entry.
      const asked = `require(${JSON.stringify(part)}).default.Agent.prototype.dispatch`;
      const program = `globalThis.awslambda = { streamifyResponse: (handler) => handler };
      require(${JSON.stringify(bundleOf(name))}); console.log(typeof ${asked}); process.exit();`;
      const env = { ...environment, AWS_REGION: "us-east-1", AWS_ENDPOINT_URL: "http://127.0.0.1:9" };
      expect(execFileSync(process.execPath, ["-e", program], { env, encoding: "utf8" })).toBe("function\n");
    },
  );

  it("are the same wherever the catalog stands, and name no folder of this machine", () => {
    const bundledIn = (folder: string) => {
      mkdirSync(folder, { recursive: true });
      const catalogFile = compileCatalog(defaultCatalog, join(folder, bundledCatalogName));
      const outdir = join(folder, "gateway");
      mkdirSync(outdir);
      bundleFunction("functions/gateway.ts", catalogFile, outdir);
      return readdirSync(outdir).map((name) => [name, readFileSync(join(outdir, name), "utf8")]);
    };
    const files = bundledIn(join(scratch, "here"));
    expect(files).toEqual(bundledIn(join(scratch, "else/where")));
    for (const [, text] of files) {
      expect(text).not.toContain(process.cwd());
      expect(text).not.toContain(scratch);
    }
  });

  it("of the gateway have nothing of payments: no stranger reaches what talks to a platform", () => {
    const texts = codeOf("gateway").map((file) => readFileSync(file, "utf8"));
    for (const text of texts) expect(text).not.toMatch(/alipay|wechat|stripe/i);
  });

  it("know of no product that is broken on purpose", () => {
    for (const name of names) expect([name, mutantsIn(folderOf(name))]).toEqual([name, []]);
  });

  it("hold each module once: an error of one part is known in all others", () => {
    const texts = codeOf("gateway").map((file) => readFileSync(file, "utf8"));
    expect(texts.join().match(/="GatewayError"/g)).toHaveLength(1);
  });
});
