/** A catalog of several files: what they are together, where a problem is told, and what each is written as. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readCatalog, readCatalogFiles } from "#infra/catalog/catalog-files.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { writeCatalog } from "#infra/catalog/write-catalog.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import type { CatalogJson } from "#shared/books/prices/import.ts";
import { catalogText } from "#shared/edges/operator/catalog-text.ts";
import { sample } from "#test/support/catalog.ts";

const scratch = mkdtempSync(join(tmpdir(), "catalog-files-"));
afterAll(() => rmSync(scratch, { recursive: true }));

/** The sample with a file of each provider. The model that both have stands with the first. */
function parts() {
  const { providers, pricing_groups, models, ...common } = sample();
  const [acme, talk] = [{ acme: providers.acme }, { talk: providers.talk }];
  return {
    catalog: common,
    acme: { providers: acme, pricing_groups, models: models.slice(0, 2) },
    talk: { providers: talk, models: models.slice(2) },
  };
}

let folders = 0;
function folderOf(files: Record<string, unknown>): string {
  const folder = join(scratch, String(folders++));
  mkdirSync(folder);
  for (const [name, json] of Object.entries(files)) {
    writeFileSync(join(folder, `${name}.json`), typeof json === "string" ? json : catalogText(json));
  }
  return folder;
}

/** The problems of a folder, without the folder's path. */
function problemsOf(files: Record<string, unknown>): string[] {
  const folder = folderOf(files);
  try {
    readCatalog(folder);
    return [];
  } catch (error) {
    return (error as { problems: string[] }).problems.map((each) => each.replaceAll(`${folder}/`, ""));
  }
}

test("the example of vendors without an address of their own is a catalog", () => {
  const { providers, models } = readCatalog(
    new URL("../../../shared/books/catalog/examples/own-address.json", import.meta.url).pathname,
  );
  expect(Object.keys(providers)).toEqual(["our-azure", "house", "ollama", "vllm"]);
  expect(models.map(({ channels }) => channels[0]?.provider)).toEqual(Object.keys(providers));
  const shipped = readCatalog(defaultCatalog).providers;
  expect(Object.keys(providers).filter((name) => name in shipped)).toEqual([]);
});

describe("a folder", () => {
  test("reads as the one file that has all of it", () => {
    expect(readCatalog(folderOf(parts()))).toEqual(parseCatalog(sample()));
    const file = join(scratch, "one.json");
    writeFileSync(file, JSON.stringify(sample()));
    expect(readCatalog(file)).toEqual(parseCatalog(sample()));
  });

  test("without its common file is refused", () => {
    const { acme, talk } = parts();
    const folder = folderOf({ acme, talk });
    expect(() => readCatalogFiles(folder)).toThrow(`${folder}: the folder has no catalog.json`);
  });

  test("whose files say one thing twice is refused, with both", () => {
    const { catalog, acme, talk } = parts();
    const again = { ...talk, version: "other", providers: { ...talk.providers, ...acme.providers } };
    expect(problemsOf({ catalog, acme, talk: again })).toEqual([
      "talk.json:4:5: providers.acme stands in acme.json too",
      "talk.json:21:3: version stands in catalog.json too",
    ]);
  });

  test.each([
    ["{", /^acme\.json:1:1: not JSON: /],
    ['{\n  "models": [\n    {],\n', /^acme\.json:3:6: not JSON: /],
    ["[]", /^acme\.json: a catalog is one JSON object$/],
  ])("with a file of %j is refused, and the file named", (acme, problem) => {
    expect(problemsOf({ ...parts(), acme })[0]).toMatch(problem);
  });
});

describe("a catalog that extends another", () => {
  const [model] = sample().models;
  const own = { ...model, id: "acme/own", aliases: [] };
  const host = { provider: "talk", model: "sonic", priority: 2 };
  const hosting = { channels: { "acme/Sonic-1-5": [host] } };
  /** Lays a folder beside the sample's that extends it. */
  const extending = (files: Record<string, unknown>, common: object = {}) => {
    const base = folderOf(parts());
    return folderOf({ ...files, catalog: { extends: `../${base.slice(scratch.length + 1)}`, ...common } });
  };

  test("has all of it and its own besides", () => {
    const folder = extending({ mine: { models: [own] } });
    const { models, ...rest } = readCatalogFiles(folder).json;
    expect(models).toEqual([...sample().models, own]);
    expect({ ...rest, models: sample().models }).toEqual(sample());
    expect(readCatalog(folder).models.map(({ id }) => id)).toContain("acme/own");
  });

  test("says its own version, currency and issuer in the place of the other's", () => {
    const { version, issuer } = readCatalog(extending({}, { version: "mine", issuer: "Me" }));
    expect([version, issuer]).toEqual(["mine", "Me"]);
    const folder = extending({}, { issuer: 7 });
    expect(() => readCatalog(folder)).toThrow(/catalog\.json:1:\d+: issuer: /);
  });

  test.each([
    ["a provider that it has", { mine: { providers: sample().providers } }, {}, "stands in"],
    ["a plan that it has", {}, { plans: sample().plans }, "plans.pro stands in"],
    ["a model that it has", { mine: { models: [model] } }, {}, "acme/Sonic-1-5"],
    ["two catalogs", { mine: { extends: "../0" } }, {}, "only catalog.json may have extends"],
    ["no path", {}, { extends: 7 }, "extends must be a path"],
    ["a path where nothing is", {}, { extends: "../nowhere" }, "nowhere, which is not there"],
    ["itself", {}, { extends: "." }, "which extends this catalog"],
    [
      "channels of a model that nobody has",
      {},
      { channels: { "acme/none": [host] } },
      "has the model acme/none",
    ],
    [
      "channels of a model of its own",
      { mine: { models: [own] } },
      { channels: { "acme/own": [host] } },
      "no catalog that this one extends has the model acme/own",
    ],
    ["channels that two files give", { mine: hosting }, hosting, "channels.acme/Sonic-1-5 stands in"],
  ])("is refused with %s", (_, files, common, problem) => {
    expect(() => readCatalog(extending(files, common))).toThrow(problem);
  });

  test("adds channels to its models, which an extended one may too", () => {
    const added = extending({}, hosting);
    const channels = (folder: string) => readCatalog(folder).models[0]?.channels.map((each) => each.model);
    const before = model?.channels.map((each) => each.model) ?? [];
    expect(channels(added)).toEqual([...before, "sonic"]);
    const twice = folderOf({
      catalog: {
        extends: added,
        channels: { "acme/Sonic-1-5": [{ ...host, model: "again" }] },
      },
    });
    expect(channels(twice)).toEqual([...before, "sonic", "again"]);
    expect(readCatalogFiles(twice).bases.slice(0, 1)).toEqual([added]);
    expect(readCatalogFiles(twice).bases).toHaveLength(2);
  });

  test("tells a problem of an added channel where it was added", () => {
    const wrong = {
      channels: {
        "acme/Sonic-1-5": [
          { ...host, provider: "nobody" },
          { ...host, weight: 0 },
        ],
      },
    };
    const folder = extending({ mine: { channels: { "acme/Sonic-1-5": wrong.channels["acme/Sonic-1-5"] } } });
    expect(() => readCatalog(folder)).toThrow(/mine\.json:\d+:\d+: models\[0\]\.channels\[2\]\.weight: /);
  });

  test("is not written over by an import", () => {
    const files = readCatalogFiles(extending({ mine: { models: [own] } }));
    const out = join(scratch, "extended");
    expect(() => writeCatalog(out, files, files.json as unknown as CatalogJson, false)).toThrow("--catalog");
  });
});

describe("a problem is told at its file, line and column", () => {
  /** Where the member of a line begins that has this text: `LINE:COLUMN`. */
  const placeOf = (json: object, text: string) => {
    const lines = catalogText(json).split("\n");
    const line = lines.findIndex((each) => each.includes(text));
    const [before = ""] = /^.*?(?="[a-z_]*": "?(?:-7|lower))/.exec(lines[line] ?? "") ?? [];
    return `${line + 1}:${before.length + 1}`;
  };

  test("of a model, whichever file it is in", () => {
    const { talk, ...rest } = parts();
    const [model] = talk.models;
    const files = { ...rest, talk: { ...talk, models: [{ ...model, context_tokens: -7 }] } };
    const line = placeOf(files.talk, "-7");
    expect(line).toBe("13:7");
    expect(problemsOf(files)).toEqual([
      expect.stringContaining(`talk.json:${line}: models[2].context_tokens: `),
    ]);
  });

  test("of a named member", () => {
    const { acme, ...rest } = parts();
    const broken = { ...acme, providers: { acme: { ...acme.providers.acme, secret: "lower" } } };
    const line = placeOf(broken, "lower");
    expect(problemsOf({ ...rest, acme: broken })).toEqual([
      expect.stringMatching(new RegExp(`^acme\\.json:${line}: providers\\.acme`)),
    ]);
  });

  test("of what is not there, at what should have it", () => {
    const { catalog, ...rest } = parts();
    const { version, ...without } = catalog;
    expect(version).toBeDefined();
    expect(problemsOf({ ...rest, catalog: without })[0]).toMatch(/^catalog\.json: version: /);
  });
});

describe("a catalog is written as it was read", () => {
  const json = (folder: string, name: string): unknown =>
    JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));

  test("a folder as the same files, with each change in the file that had it", () => {
    const files = readCatalogFiles(folderOf(parts()));
    const [first, ...others] = structuredClone(files.json.models) as CatalogJson["models"];
    const added = { ...first, id: "talk/new", aliases: [], channels: [{ provider: "talk", model: "new" }] };
    const out = join(scratch, "out");
    const changed = { ...files.json, models: [{ ...first, display_name: "Other" }, ...others, added] };
    writeCatalog(out, files, changed as unknown as CatalogJson, false);
    const { catalog, acme, talk } = parts();
    expect(json(out, "catalog")).toEqual(catalog);
    expect(json(out, "acme")).toEqual({
      ...acme,
      models: [{ ...acme.models[0], display_name: "Other" }, acme.models[1]],
    });
    expect(json(out, "talk")).toEqual({ ...talk, models: [...talk.models, added] });
    expect(readCatalogFiles(out).json).toEqual({ ...changed });
    expect(() => writeCatalog(out, files, changed as unknown as CatalogJson, false)).toThrow("--force");
  });
});
