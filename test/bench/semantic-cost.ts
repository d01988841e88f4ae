/**
 * What calls of the semantic cache take from AWS and from its two models, and what the learner takes. The gateways run
 * beside an `npm start` of their own, whose demo provider plays the embedder and the judge.
 */

import { randomBytes } from "node:crypto";
import { localCredentials } from "#infra/local/stack/function-environment.ts";
import { limits } from "#shared/base/limits.ts";
import { type Aws, createAws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import { type Lesson, sealLesson } from "#shared/calls/cache/semantic/lesson.ts";
import { type LearnDeps, learnBatch } from "#shared/edges/jobs/learn.ts";
import { createCacheEntries } from "#shared/edges/store/cache.ts";
import { createSemanticStore } from "#shared/edges/store/cache-semantic.ts";
import { queueDepth } from "#shared/edges/store/usage-queue.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { attach } from "./attached.ts";
import { type Counter, startCounter } from "./stand-ins.ts";

/** Units, and tokens of the models, of one call. */
interface SemanticUnits {
  name: string;
  hits: number;
  writes: number;
  reads: number;
  embedded_tokens: number;
  judged_tokens: number;
}

/** Units of one lesson. */
interface LessonUnits {
  name: string;
  writes: number;
  reads: number;
}

export interface SemanticCounted {
  calls: SemanticUnits[];
  lessons: LessonUnits[];
}

/** Questions that differ in one word, which the rules keep apart. */
const things = [
  "folder",
  "photo",
  "branch",
  "table",
  "playlist",
  "bookmark",
  "comment",
  "label",
  "cookie",
  "font",
];
const asked = things.map((thing) => `What is the fastest way to delete a ${thing}?`);
const reworded = things.map((thing) => `What is the quickest way to remove a ${thing}?`);

/** Counts calls that miss, that a judge lets hit, and that come again; then lessons, alone and by ten. */
export async function countSemantic(parts: AsyncDisposableStack): Promise<SemanticCounted> {
  const base = await startLocal();
  parts.defer(async () => void (await base.stop()));
  const counter = await startCounter(base.endpoints.dynamodb);
  parts.defer(counter.stop);
  const replaced = { dynamodb: counter.url, sqs: base.endpoints.sqs };
  const calls: SemanticUnits[] = [];
  // A context without pages asks no embedder.
  await ask(base, "Which animal sleeps for the longest time?");
  for (const [name, questions] of [
    ["a miss", asked],
    ["judged", reworded],
    ["the same again", reworded],
  ] as const) {
    await learned(base);
    const { gateway } = await attach(base, { replaced }, parts);
    counter.clear();
    let hits = 0;
    for (const question of questions) if ((await ask(gateway, question)).startsWith("hit")) hits += 1;
    await gateway.stop();
    calls.push({
      name,
      hits,
      ...unitsOf(counter, questions.length),
      ...tokensIn(gateway.output(), questions.length),
    });
  }
  return { calls, lessons: await countLessons(awsOf(base, counter), base.endpoints.tables, counter) };
}

async function ask({ url, keys }: LocalGateway, content: string): Promise<string> {
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${keys.subscription}`,
      "content-type": "application/json",
      "x-gateway-cache": "semantic",
    },
    body: JSON.stringify({ model: "openai/gpt-5.4-mini", messages: [{ role: "user", content }] }),
  });
  await reply.bytes();
  return reply.headers.get("x-gateway-cache") ?? "";
}

/** Resolves once the learner has learned all there is. */
async function learned(base: LocalGateway): Promise<void> {
  const aws = awsOf(base);
  do await new Promise((resume) => setTimeout(resume, 500));
  while ((await queueDepth(aws, base.endpoints.lessonQueueUrl)) > 0);
}

function unitsOf(counter: Counter, count: number): { writes: number; reads: number } {
  const sum = (...actions: string[]) =>
    actions.reduce((units, action) => units + counter.take(action), 0) / count;
  return {
    writes: sum("UpdateItem", "PutItem", "TransactWriteItems"),
    reads: sum("GetItem", "Query", "BatchGetItem"),
  };
}

/** The tokens of both models a call, as the gateway's log has them. */
function tokensIn(output: string, count: number): { embedded_tokens: number; judged_tokens: number } {
  const lines = output.split("\n").filter((line) => line.includes('"cache_model"'));
  const told = lines.map((line) => JSON.parse(line) as { model: string; tokens?: number });
  const sum = (model: string) =>
    told.filter((each) => each.model === model).reduce((all, { tokens = 0 }) => all + tokens, 0) / count;
  return { embedded_tokens: sum("demo/embedder"), judged_tokens: sum("demo/judge") };
}

/** Ten lessons of a context each: entries alone, entries by ten, and audits that agree. */
async function countLessons(aws: Aws, tables: { cache: string }, counter: Counter): Promise<LessonUnits[]> {
  const contexts = createSemanticStore(aws, tables);
  const deps: LearnDeps = {
    contexts,
    cache: createCacheEntries(aws, tables),
    embed: async () => [1, 2, 3, 4, 5, 6, 7, 8],
    ask: async (request) => (JSON.stringify(request).includes("heron") ? "different" : "same"),
    secrets: { peppers: async () => readPeppers("pepper") },
    log: () => {},
    now: Date.now,
  };
  const learn = async (lessons: Lesson[]) => {
    const messages = lessons.map((lesson) => ({ id: "m", body: sealLesson(lesson, "pepper"), tries: 1 }));
    const failed = await learnBatch(messages, deps);
    if (failed.length > 0) throw new Error("a lesson was not learned");
  };
  const count = async (name: string, act: () => Promise<void>): Promise<LessonUnits> => {
    counter.clear();
    await act();
    return { name, ...unitsOf(counter, things.length) };
  };
  const [alone, together, audits] = [entries(), entries(), things.map(auditIn(newContext()))];
  return [
    await count("an entry, alone", async () => {
      for (const lesson of alone) await learn([lesson]);
    }),
    await count("an entry, by ten of a context", () => learn(together)),
    await count("an audit", async () => {
      for (const lesson of audits) await learn([lesson]);
    }),
  ];
}

function newContext() {
  const [scope, context] = [randomBytes(16).toString("base64url"), randomBytes(16).toString("base64url")];
  return { scope, context, organization: newId("organization", Date.now()), project: "" };
}

function entries(): Lesson[] {
  const place = newContext();
  const boxKey = randomBytes(32);
  const key = boxKey.toString("base64url");
  const until = Date.now() + limits.deadLetterSeconds * 1000;
  return asked.map((question) => {
    const name = randomBytes(16).toString("base64url");
    return { kind: "entry", place, key, name, until, question };
  });
}

function auditIn(place: ReturnType<typeof newContext>): () => Lesson {
  return () => {
    const [request, origin] = [newId("request", Date.now()), newId("request", Date.now())];
    const [question, kept, fresh] = ["How deep is the sea?", "11 km.", "Eleven kilometres."];
    return { kind: "audit", place, request, question, kept, fresh, entry: { name: "name", origin } };
  };
}

function awsOf({ endpoints }: LocalGateway, counter?: Counter): Aws {
  return createAws({
    region: endpoints.region,
    credentials: () => localCredentials,
    endpoints: { dynamodb: counter?.url ?? endpoints.dynamodb, sqs: endpoints.sqs },
    attemptsMax: 3,
    timeoutMs: 10_000,
  });
}
