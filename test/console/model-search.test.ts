/** What is looked for among models and in which order they stand, over the default catalog as the console's list has it. */
import { describe, expect, test } from "vitest";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import type { ConsoleCall } from "#shared/edges/console/call.ts";
import { createModelList } from "#shared/edges/console/operations/models.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import type { List, Model } from "../../console/api-types.ts";
import {
  accessOf,
  found,
  isPrice,
  type ModelSearch,
  modelPath,
  orders,
  search,
  searchOf,
} from "../../console/model-search.ts";

const catalog = createCatalog(parseCatalog(catalogFile));
const list = createModelList({ catalog });
const reply = list({ request: { headers: {}, query: new URLSearchParams() } } as unknown as ConsoleCall);
const models = (JSON.parse(String(reply.body)) as List<Model>).data;
const onWallet = { plan: undefined, wallet: true };
const all = models.map((model) => found(model, onWallet));

const asked = (query: string): ModelSearch => searchOf(new URLSearchParams(query));
const ids = (query: string, among = all) => search(among, asked(query)).map(({ model }) => model.id);
const modelsOf = (query: string) => search(all, asked(query)).map(({ model }) => model);

/** A model that is like the first of the catalog, but for this. */
const like = (change: Partial<Model>) => found({ ...(models[0] as Model), ...change }, onWallet);

describe("a search", () => {
  test("without anything wanted leaves every model", () => {
    expect(ids("")).toHaveLength(models.length);
    expect(models.length).toBeGreaterThan(300);
  });

  test("finds the words of a name in any order and spelling, among ids, names, vendors and other names", () => {
    const one = [
      like({ id: "acme/sonic-1-5", display_name: "Sonic", owned_by: "acme", aliases: ["sonic-latest"] }),
    ];
    for (const text of ["sonic", "SONIC 1.5", "1_5 acme", "latest", " Sonic  acme "])
      expect([text, ids(`q=${encodeURIComponent(text)}`, one)]).toEqual([text, ["acme/sonic-1-5"]]);
    expect(ids("q=sonic+globex", one)).toEqual([]);
  });

  test("by vendor leaves those of that vendor, also where the name alone is another's", () => {
    expect(new Set(modelsOf("vendor=groq").map(({ owned_by }) => owned_by))).toEqual(new Set(["groq"]));
  });

  test("by abilities leaves those that have all of them", () => {
    const some = modelsOf("can=vision,tools");
    expect(some.length).toBeGreaterThan(10);
    for (const { capabilities } of some)
      expect(capabilities).toEqual(expect.arrayContaining(["vision", "tools"]));
    for (const { capabilities } of modelsOf("can=embeddings")) expect(capabilities).not.toContain("chat");
    for (const kind of ["images", "video", "pdf", "audio", "clips", "web_search", "reasoning"])
      expect([kind, ids(`can=${kind}`).length > 0]).toEqual([kind, true]);
    // What an address says that is no ability is as if it said nothing.
    expect(ids("can=telepathy")).toHaveLength(models.length);
  });

  test("by cached input leaves those whose cache costs less than their input, at the first tier", () => {
    const flat = (cache_read: string) => ({
      mode: "flat_tokens",
      input: "2",
      output: "8",
      cache_read,
      cache_write: "2",
    });
    const cheap = like({ id: "a/cheap", price: flat("0.2") });
    const same = like({ id: "a/same", price: flat("2.0") });
    const { mode: _, ...tier } = flat("0.2");
    const tiered = like({
      id: "a/tiered",
      price: { mode: "input_tokens_tiers", tiers: [{ up_to: null, ...tier }] },
    });
    expect(ids("can=cached&sort=name", [cheap, same, tiered]).toSorted()).toEqual(["a/cheap", "a/tiered"]);
  });

  test("by context leaves those that take at least as much", () => {
    for (const { context_tokens } of modelsOf("context=1000000"))
      expect(context_tokens).toBeGreaterThanOrEqual(1_000_000);
    expect(ids("context=-5")).toHaveLength(models.length);
  });

  test("by price leaves what a million tokens of input cost at most, with the discount, and nothing else", () => {
    const priced = (id: string, input: string, discount_rate = "1") =>
      like({
        id,
        discount_rate,
        price: { mode: "flat_tokens", input, output: "9", cache_read: "1", cache_write: "1" },
      });
    const three = [priced("a/exact", "0.5"), priced("a/over", "0.51"), priced("a/off", "1", "0.5")];
    const picture = like({ id: "a/picture", price: { mode: "per_image", unit_price: "0.01" } });
    expect(ids("price=0.5", [...three, picture]).toSorted()).toEqual(["a/exact", "a/off"]);
    expect(ids("price=cheap")).toHaveLength(models.length);
    expect(["0.5", "3", " 3 ", "", "-1", "1e3", "0,5"].map(isPrice)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  test("for what the reader may call leaves what the plan has, or everything that a wallet pays for", () => {
    const free = models.map((model) => found(model, { plan: "free", wallet: false }));
    const callable = ids("mine=1", free);
    expect(callable.length).toBeGreaterThan(0);
    for (const id of callable) expect(catalog.plansWith(catalog.find(id) as never)).toContain("free");
    expect(ids("mine=1")).toEqual(ids("").filter((id) => catalog.find(id)?.permission === null));
  });
});

describe("who pays", () => {
  const model = { permission: null, plans: ["pro"] };
  test.each([
    ["plan", model, { plan: "pro", wallet: true }],
    ["wallet", model, { plan: "lite", wallet: true }],
    ["wallet", model, { plan: undefined, wallet: true }],
    ["none", model, { plan: "lite", wallet: false }],
    ["none", model, { plan: undefined, wallet: false }],
    ["permission", { ...model, permission: "AVG_V2" }, { plan: "pro", wallet: true }],
  ])("is %s", (expected, given, payer) => {
    expect(accessOf(given, payer)).toBe(expected);
  });
});

describe("the order", () => {
  const sorted = (order: string) => modelsOf(`sort=${order}`);
  const rises = (values: number[]) => values.every((value, at) => at === 0 || value >= (values[at - 1] ?? 0));

  test("is the newest first where none is wished, and where the address says nonsense", () => {
    expect(rises(modelsOf("").map(({ created }) => -created))).toBe(true);
    expect(ids("sort=nonsense")).toEqual(ids(""));
  });

  test("by context has the longest first, by vendor each vendor together", () => {
    expect(rises(sorted("context").map(({ context_tokens }) => -context_tokens))).toBe(true);
    const vendors = sorted("vendor").map(({ owned_by }) => owned_by);
    expect(vendors.filter((name, at) => name !== vendors[at - 1])).toHaveLength(new Set(vendors).size);
  });

  test.each(["input", "output"] as const)(
    "by %s has the cheapest first, and what has no such price last",
    (name) => {
      const prices = search(all, asked(`sort=${name}`)).map(({ price }) => price?.[name]);
      const known = prices.filter((each) => each !== undefined);
      expect(rises(known.map(Number))).toBe(true);
      expect(prices.slice(known.length).every((each) => each === undefined)).toBe(true);
      expect(known.length).toBeLessThan(prices.length);
    },
  );

  test("is the same each time, and changes nothing of the list", () => {
    const before = all.map(({ model }) => model.id);
    for (const order of orders) expect(ids(`sort=${order}`)).toEqual(ids(`sort=${order}`));
    expect(all.map(({ model }) => model.id)).toEqual(before);
  });
});

test("a model's address keeps the slashes of its id, and nothing else that an address reads", () => {
  expect(modelPath("openrouter/acme/x:free?#")).toBe("openrouter/acme/x%3Afree%3F%23");
});
