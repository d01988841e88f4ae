/**
 * The cache's semantic level end to end: the gateway, its queue and its learner, with the embedder and the judge that the
 * demo provider plays. A question in other words gets the answer, a near miss does not, and a bad judge is found out.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { semantic } from "#infra/local/demo/semantic.ts";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { isAudited } from "#shared/calls/cache/semantic/audit.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import { customer, expectCleanAudit } from "#test/support/money.ts";
import { firstWording, wordings } from "#test/support/wordings.ts";

type Json = Record<string, unknown>;

let gateway: LocalGateway;
beforeAll(async () => {
  const catalog = structuredClone(catalogFile) as unknown as Catalog;
  // An audit is one call of 50, so the test has to make more of them than a minute allows.
  const pro = { ...catalog.plans.pro, rpm: null, tpm: null };
  const played = { protocols: { openai: "https://played.example" }, secret: "NOT_SET" };
  gateway = await startLocal({
    catalog: {
      ...catalog,
      plans: { ...catalog.plans, pro },
      providers: { ...catalog.providers, [semantic.provider]: played },
      models: [...catalog.models, ...semantic.models],
      cache: semantic.cache,
    },
  });
});
afterAll(() => gateway?.stop());

async function send(key: string, method: string, path: string, body?: Json): Promise<[Response, Json]> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(gateway.url + path, {
    method,
    headers: { ...headers, "x-gateway-cache": "semantic" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return [reply, (await reply.json()) as Json];
}

interface Told {
  cache: string;
  id: string;
  text: string;
}

async function ask(key: string, content: string): Promise<Told> {
  const body = { model: "openai/gpt-5.4-mini", messages: [{ role: "user", content }] };
  const [{ status, headers }, answer] = await send(key, "POST", "/v1/chat/completions", body);
  expect(status).toBe(200);
  const [choice] = answer.choices as { message: { content: string } }[];
  return {
    cache: headers.get("x-gateway-cache") ?? "",
    id: headers.get("x-request-id") ?? "",
    text: choice?.message.content ?? "",
  };
}

/** How often a model was asked, by what the gateway has logged. */
const asked = (model: string): number =>
  gateway
    .output()
    .split("\n")
    .filter((line) => line.includes('"event":"cache_model"') && line.includes(model)).length;

/** Asks in one wording after the other, until an answer is told what is waited for. */
async function until(
  key: string,
  questions: Iterator<string>,
  isIt: (told: Told) => boolean,
): Promise<Told & { question: string }> {
  // A loop over the iterator would end it, and the next one goes on with it.
  for (let next = questions.next(); !next.done; next = questions.next()) {
    const told = await ask(key, next.value);
    if (isIt(told)) return { ...told, question: next.value };
  }
  throw new Error("no answer was told what was waited for");
}

/** How often the judge was asked for one more call with this question. */
async function judgedFor(key: string, question: string): Promise<number> {
  const before = asked("demo/judge");
  const { id } = await ask(key, question);
  // Lines are printed in their order, so all that stand before this call's are there with it.
  await expect.poll(() => gateway.output()).toContain(id);
  return asked("demo/judge") - before;
}

const isHit = ({ cache }: Told) => cache.startsWith("hit; level=semantic");
const judge = (manner: string) =>
  fetch(`${gateway.endpoints.demoProvider}/judge`, { method: "PUT", body: manner });

const timesOff = () => gateway.output().split("cache_semantic_off").length;
const entryIn = ({ cache }: Told) => /entry=(\w+)/.exec(cache)?.[1];

/** Asks the first question of a context, and waits until the learner has embedded it. */
async function begin(key: string): Promise<Told> {
  const before = asked("demo/embedder");
  const told = await ask(key, firstWording);
  expect(told.cache).toBe("miss");
  await expect.poll(() => asked("demo/embedder")).toBeGreaterThan(before);
  return told;
}

/** The receipt of a call, once it is booked. */
async function receiptOf(key: string, id: string): Promise<Json> {
  const receipt = async () => (await send(key, "GET", `/api/v1/requests/${id}`))[1];
  await expect.poll(async () => (await receipt()).status).toBe("settled");
  return await receipt();
}

test("other words: a judged hit, then an alias; a near miss is asked anew; feedback ends both", async () => {
  const { key } = await customer(gateway, { plan: "pro" });
  await begin(key);
  const hit = await until(key, wordings(), isHit);
  expect(hit.cache).toMatch(/^hit; level=semantic; age=\d+; entry=req_\w+; verified=judge$/);
  expect(hit.text).toContain(firstWording);

  // The alias is kept after the last byte of the hit. Once it is there, the judge is asked no more.
  await expect.poll(() => judgedFor(key, hit.question)).toBe(0);
  const before = asked("demo/judge");
  const again = await ask(key, hit.question);
  expect([again.cache.replace(/age=\d+/, "age"), again.text]).toEqual([
    hit.cache.replace(/age=\d+/, "age"),
    hit.text,
  ]);
  let last = again;
  for (const trap of [
    "How do I delete a layer in GIMP?",
    "How do I hide a layer in Photoshop?",
    "How do I not delete a layer in Photoshop?",
  ]) {
    last = await ask(key, trap);
    expect(last.cache).toBe("miss");
  }
  await expect.poll(() => gateway.output()).toContain(last.id);
  expect(asked("demo/judge")).toBe(before);

  const receipt = await receiptOf(key, again.id);
  expect(receipt).toMatchObject({
    evidence: "cache",
    calls: 1,
    cost_points: "0",
    list_points: "0",
    provider: null,
    flags: ["cache_semantic"],
    cache: { level: "semantic", verified: "judge", entry: entryIn(hit) },
  });
  const feedback = { request: again.id, wrong: true };
  const [, removal] = await send(key, "POST", "/api/v1/cache/feedback", feedback);
  expect(removal).toMatchObject({ removed: true, entry: entryIn(hit) });
  // One refutation among so few hits: the context is off as well.
  await expect.poll(timesOff).toBe(2);
  expect((await ask(key, hit.question)).cache).toBe("miss");
  await expectCleanAudit(gateway);
});

test("another key finds nothing of it, also one of the same organization", async () => {
  const { key, id } = await customer(gateway, { plan: "pro" });
  await begin(key);
  await until(key, wordings(), isHit);
  const { key: foreign } = await customer(gateway, { plan: "pro" });
  const { value } = await operator(gateway, "key", "create", "--org", id, "--mode", "subscription");
  for (const other of [foreign, String(value.key)])
    expect((await ask(other, "How can I delete a layer in Photoshop?")).cache).toBe("miss");
});

test("a judge that lets everything pass is found out by an audit, and the context is switched off", async () => {
  await judge("yes");
  try {
    const { key } = await customer(gateway, { plan: "pro" });
    await begin(key);
    const before = timesOff();
    const questions = wordings();
    await until(key, questions, isHit);
    const audited = await until(key, questions, (told) => isAudited(told.id));
    expect(audited.cache).toBe("miss");
    await expect.poll(timesOff).toBe(before + 1);
    // A call may have been served on its way there. From then on nobody is asked, and nothing is served.
    const first = await until(key, questions, ({ cache }) => cache === "miss");
    await expect.poll(() => gateway.output()).toContain(first.id);
    const judged = asked("demo/judge");
    const told = await ask(key, questions.next().value as string);
    expect(told.cache).toBe("miss");
    await expect.poll(() => gateway.output()).toContain(told.id);
    expect(asked("demo/judge")).toBe(judged);
  } finally {
    await judge("right");
  }
});
