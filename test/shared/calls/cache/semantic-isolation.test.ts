/** Whose questions are never compared with whose, and what of the semantic level opens nowhere else. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { isAudited } from "#shared/calls/cache/semantic/audit.ts";
import type { Asked } from "#test/support/cached.ts";
import { semanticCatalog, useSemantic } from "#test/support/semantic.ts";

const semantic = useSemantic();

const kept = "What does the Federal Reserve do?";
const asked = "what does the federal reserve do?";
const told = (answer: { headers: Record<string, string> }) => answer.headers["x-gateway-cache"] ?? "";

/** Has a question answered and learned for one asker, and asks it in other words for another. Before each `prepare` runs. */
async function shares(first: Asked, second: Asked, prepare = () => {}): Promise<boolean> {
  prepare();
  await semantic.wish(kept, first);
  await semantic.learn();
  const [embedded, judged] = [semantic.embedded.length, semantic.judged.length];
  prepare();
  const answer = told(await semantic.wish(asked, second));
  const isHit = answer.startsWith("hit");
  // Who has nothing in common with it does not even send the question to the embedder.
  if (!isHit) expect([semantic.embedded.length, semantic.judged.length]).toEqual([embedded, judged]);
  return isHit;
}

describe("a question in other words", () => {
  test("of another key, project, organization or epoch finds nothing", async () => {
    const organization = newId("organization", Date.now());
    const id = newId("key", Date.now());
    // A process knows the record of an organization for some seconds, whichever key asks. Here each call reads it.
    const forget = () => semantic.memory.deps.keys.forget(organization);
    const own = { headers: semantic.keyOf({ id }, { id: organization }) };
    for (const other of [
      semantic.keyOf({}, { id: organization }),
      semantic.keyOf({ id, project: "p" }, { id: organization }),
      semantic.keyOf({ id }, {}),
      semantic.keyOf({ id }, { id: organization, cache_epoch: 1 }),
    ]) {
      expect(await shares(own, { headers: other }, forget)).toBe(false);
    }
    forget();
    expect(told(await semantic.wish(asked, own))).toMatch(/^hit; level=semantic/);
  });

  test.each([
    ["another end user", { user: "ann" }, { user: "bob" }],
    ["an end user, where the first had none", {}, { user: "bob" }],
    ["another temperature", { temperature: 0.1 }, { temperature: 0.2 }],
    ["another length", { max_tokens: 10 }, { max_tokens: 11 }],
    ["another seed", { seed: 1 }, { seed: 2 }],
  ])("of %s finds nothing", async (_, first, second) => {
    const [one, other] = [first, second].map((more) => (content: string) => ({
      body: { ...more, messages: [{ role: "user", content }] },
    }));
    if (!one || !other) throw new Error("unreachable");
    expect(await shares(one(kept), other(asked))).toBe(false);
    expect(await shares(one(kept), one(asked))).toBe(true);
  });

  test("under a system prompt is asked anew: only a question that stands alone has this level", async () => {
    const guided = (content: string) => ({
      body: {
        messages: [
          { role: "system", content: "Spot capital letters" },
          { role: "user", content },
        ],
      },
    });
    expect(await shares(guided(kept), guided(asked))).toBe(false);
    expect([semantic.memory.contexts.calls.read, semantic.memory.lessons]).toEqual([0, []]);
  });

  test("after its model is sent elsewhere finds nothing", async () => {
    await semantic.wish(kept);
    await semantic.learn();
    const catalog = semanticCatalog(semantic.upstream.url) as {
      models: { channels: Record<string, unknown>[] }[];
    };
    for (const model of catalog.models)
      model.channels = [{ ...model.channels[0], model: "upstream-model-2" }];
    semantic.memory.deps.catalog = createCatalog(parseCatalog(catalog));
    expect(told(await semantic.wish(asked))).toBe("miss");
    expect(semantic.judged).toEqual([]);
  });
});

describe("a copy does not open:", () => {
  const { pages } = { pages: () => semantic.memory.contexts.pages };

  test("of a page, in another scope", async () => {
    const other = { headers: semantic.keyOf() };
    await semantic.wish(kept);
    await semantic.wish("How many moons does Mars have?", other);
    await semantic.learn();
    const [mine, foreign] = [...pages().values()];
    if (!mine || !foreign) throw new Error("two contexts have pages");
    foreign.clear();
    for (const [name, page] of mine) foreign.set(name, page);
    semantic.embedded.length = 0;
    expect(told(await semantic.wish(asked, other))).toBe("miss");
    expect([semantic.embedded, semantic.judged]).toEqual([[], []]);
    expect(semantic.memory.logs.map(({ event }) => event)).toContain("cache_unreadable");
  });

  test("of a page, in another context of its scope", async () => {
    const seed = (n: number, content: string) => ({
      body: { seed: n, messages: [{ role: "user", content }] },
    });
    await semantic.wish(kept, seed(1, kept));
    await semantic.learn();
    const [[place = "", mine] = []] = [...pages()];
    const before = new Set(pages().keys());
    await semantic.wish("How many moons does Mars have?", seed(2, "How many moons does Mars have?"));
    await semantic.learn();
    const other = [...pages().keys()].find((key) => !before.has(key)) ?? "";
    expect([place.split("/")[0], other.split("/")[0]]).toEqual([place.split("/")[0], place.split("/")[0]]);
    if (mine) pages().set(other, new Map(mine));
    semantic.embedded.length = 0;
    expect(told(await semantic.wish(asked, seed(2, asked)))).toBe("miss");
    expect(semantic.embedded).toEqual([]);
  });

  test("of an entry, under the name that a page of another scope has", async () => {
    const other = { headers: semantic.keyOf() };
    await semantic.wish(kept);
    await semantic.wish(kept, other);
    await semantic.learn();
    const { entries } = semantic.memory.cache;
    const [[, mine] = [], [place = ""] = []] = [...entries];
    if (mine) entries.set(place, mine);
    expect(told(await semantic.wish(asked, other))).toBe("miss");
    expect([semantic.embedded.length > 0, semantic.judged]).toEqual([true, []]);
  });

  test("of an alias, under another question", async () => {
    await semantic.wish(kept);
    await semantic.learn();
    await semantic.wish(asked);
    const { entries } = semantic.memory.cache;
    const alias = [...entries.values()][1];
    await semantic.wish("How many moons does Mars have?");
    const place = [...entries.keys()][2] ?? "";
    if (alias) entries.set(place, alias);
    expect(told(await semantic.wish("How many moons does Mars have?"))).toBe("miss");
  });
});

test("what is sent to the queue, and what pages show, has nothing of question, answer or asker", async () => {
  await semantic.wish(kept, { body: { user: "ann", messages: [{ role: "user", content: kept }] } });
  await semantic.learn();
  const seen = [...semantic.memory.contexts.pages].map(([place, stored]) =>
    [place, ...[...stored.values()].map(({ bytes }) => bytes.toString("latin1"))].join(),
  );
  expect(seen).toHaveLength(1);
  for (const secret of ["Federal", "Hi there", "ann", "org_", "key_"]) expect(seen[0]).not.toContain(secret);
});

test("one id of fifty is audited, whoever asks", () => {
  const ids = Array.from({ length: 5_000 }, (_, at) => newId("request", 1_764_000_000_000 + at));
  const audited = ids.filter((id) => isAudited(id)).length;
  expect(audited).toBeGreaterThan(50);
  expect(audited).toBeLessThan(160);
});
