/** The catalog as a bundle carries it: its models are parsed when a call names them, and are those of the file. */
import { afterEach, expect, test, vi } from "vitest";
import { bundledText } from "#infra/catalog/bundled-text.ts";
import { type BundledCatalog, createCatalog, openCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { sample, set } from "#test/support/catalog.ts";
import { catalogFile } from "#test/support/default-catalog.ts";

const catalog = parseCatalog(catalogFile);
const read = (text: string) => JSON.parse(text) as BundledCatalog;
const bundled = read(bundledText(catalog));

afterEach(() => vi.restoreAllMocks());

test("a start parses no model, a call the one that it names, and a list each one that is left: all of them once", () => {
  const parse = vi.spyOn(JSON, "parse");
  const opened = openCatalog(bundled);
  const [first, second] = catalog.models;
  opened.plans();
  opened.provider("openai");
  expect([parse.mock.calls.length, opened.find("nobody/nothing")]).toEqual([0, undefined]);
  const names = [first?.id ?? "", ...(first?.aliases ?? [])];
  const found = [...names, ...names].map((name) => opened.find(name));
  expect([found[0]?.id, new Set(found).size, parse.mock.calls.length]).toEqual([first?.id, 1, 1]);
  expect([opened.find(second?.id ?? "")?.id, parse.mock.calls.length]).toEqual([second?.id, 2]);
  const list = opened.models();
  expect([opened.models() === list, list[0] === found[0]]).toEqual([true, true]);
  expect(parse).toHaveBeenCalledTimes(catalog.models.length);
});

test("each name finds the model that it finds in the file, however it is written", () => {
  const opened = openCatalog(bundled);
  const inFile = createCatalog(catalog);
  for (const { id, aliases } of catalog.models) {
    const [model, filed] = [opened.find(id), inFile.find(id)];
    const isSame = [id, ...aliases].flatMap((name) =>
      [name, name.toUpperCase(), name.replaceAll(".", "_"), name.replaceAll("-", ".")].map(
        (each) => opened.find(each) === model && inFile.find(each) === filed,
      ),
    );
    expect([model?.id, filed?.id, isSame.includes(false)]).toEqual([id, id, false]);
  }
  expect(opened.models().map(({ id }) => id)).toEqual(catalog.models.map(({ id }) => id));
  for (const name of ["", "constructor", "__proto__", "tostring"]) expect(opened.find(name)).toBeUndefined();
});

test("a model costs and is reached as the file says", () => {
  const opened = openCatalog(bundled);
  const inFile = createCatalog(catalog);
  for (const model of inFile.models()) {
    const same = opened.find(model.id);
    expect(same && opened.price(same, 0)).toEqual(inFile.price(model, 0));
    const reached = {
      protocols: model.protocols,
      channels: model.channels.map(({ id, secret }) => ({ id, secret })),
    };
    expect(same).toMatchObject(reached);
  }
});

test("a bundle keeps where each price was read, also where nobody has said", () => {
  const opened = openCatalog(bundled);
  for (const { id, price_source } of catalog.models)
    expect(opened.find(id)?.price_source, id).toEqual(price_source);
  const unsaid = parseCatalog(set(sample(), "models.0.price_source", null));
  expect(openCatalog(read(bundledText(unsaid))).models()[0]?.price_source).toBeNull();
});

test("a catalog without models opens", () => {
  const opened = openCatalog(read(bundledText({ ...catalog, models: [] })));
  expect([opened.models(), opened.find("openai/gpt-5.4")]).toEqual([[], undefined]);
});
