/** A client's call, and what everybody who is not the product knows of it. */

import type { HttpReply } from "#shared/base/http/message.ts";
import { limits } from "#shared/base/limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import { readBody } from "#test/support/body.ts";
import { dear } from "./catalog.ts";
import { type Fallback, scriptOf } from "./fallbacks.ts";
import { isInForce } from "./peppers.ts";
import type { Script } from "./provider.ts";
import { bodyOf, markOf, type Question } from "./questions.ts";
import type { Run } from "./scheduler.ts";
import { tagHeader } from "./tags.ts";
import type { Gateway, Key, World } from "./world.ts";

export interface Call {
  id: string;
  key: Key;
  /** How it goes at the model that was asked last. */
  script: Script;
  /** That model, and how many times as much it costs as the cheap ones. */
  model: string;
  factor: bigint;
  /** How it goes at the model that it names as its fallback, if it names one. */
  fallback: Script | undefined;
  /** Its idempotency key: calls with the same one ask for the same. */
  idempotency: string | undefined;
  /** Its stream may be stopped for want of points. */
  strict: boolean;
  /** True time at which the client called. */
  calledAt: number;
  /** How often a provider was asked; when it was last, in true time and by the clock of who asked. */
  asked: number;
  askedAt: number;
  askedClock: number;
  status: number | undefined;
  /** True time of that answer. */
  answeredAt: number;
  /** The call whose answer was given again. */
  replayed: string | undefined;
  /** The end customer that it names. */
  user: string | null;
  /** What it asks, if others may ask the same. */
  question: Question | undefined;
  /** The call whose answer it was given out of the cache. */
  hit: string | undefined;
  received: string;
  sawEnd: boolean;
  /** The process that serves it. */
  server: Run;
  /** Its client reads no more and keeps the connection. */
  stalled: boolean;
  /** All that is to be done for it has been done. */
  finished: boolean;
  /** The provider sent all it had to say; or was broken off, as at the end of the process's time. */
  told: "nothing" | "all" | "broken off";
  /** The provider's name of each model that has sent a usage. */
  reportedBy: string[];
  /** Neither queue nor ledger took its usage, and the log said so: an operator is alarmed (billing.md fault 12). */
  gap: boolean;
  /** The log said that its hold may not be settled: by an end or a step whose outcome nobody knows. */
  doubtful: boolean;
}

/** How a client calls. */
export interface Manner {
  stream: boolean;
  /** By its model, a stream that holds its output step by step. */
  strict: boolean;
  /** Writes of the answer after which the client leaves. */
  leavesAfter: number;
  /** Writes after which it reads no more, and does not leave. */
  stallsAfter: number;
  timeMs: number;
  /** Lambda kills what is not done in its time; a process elsewhere may go on. */
  hardEnd: boolean;
  idempotency?: string;
  question?: Question;
  /** Its end customer. */
  user?: string;
  /** It names the dear model as its fallback. */
  fallback?: Fallback;
}

const path = "/v1/chat/completions";
const document = { type: "file", file: { file_data: "data:application/pdf;base64,JVBERi0xLjQ=" } };

/** A client calls some gateway, and reads the answer until it ends or the client leaves. */
export function callModel(world: World, key: Key, script: Script, how: Manner): Call {
  const gateway = world.gateway();
  const now = gateway.now();
  const id = newId("request", now);
  // Calls with the same idempotency key ask for the same, and so may calls with a question.
  const own: Script = {
    ...script,
    ...(how.fallback?.fails !== undefined && { kind: how.fallback.fails }),
    document: script.document && how.idempotency === undefined && how.question === undefined,
    ...(how.question && { mark: markOf(key.record.id, how.question) }),
  };
  const call: Call = {
    id,
    key,
    script: own,
    model: how.strict ? "test/strict-1" : "test/model-1",
    factor: 1n,
    fallback: how.fallback && scriptOf(how.fallback, own),
    idempotency: how.idempotency,
    strict: how.strict,
    calledAt: world.scheduler.now,
    asked: 0,
    askedAt: 0,
    askedClock: 0,
    status: undefined,
    answeredAt: 0,
    replayed: undefined,
    user: how.user ?? how.question?.user ?? null,
    question: how.question,
    hit: undefined,
    received: "",
    sawEnd: false,
    server: gateway.run,
    stalled: false,
    finished: false,
    told: "nothing",
    reportedBy: [],
    gap: false,
    doubtful: false,
  };
  world.calls.set(id, call);
  const { run } = gateway;
  const told = `${id}, ${key.record.mode}, ${JSON.stringify(call.script)} ${JSON.stringify(how)}`;
  world.scheduler.note(run, `is called: ${told}`);
  const act = async () => {
    const reply = await world.calling.run(call, () => gateway.serve(world.seen(requestOf(call, how, now))));
    call.hit = /^hit;.* entry=([^\s;]+)/.exec(reply.headers["x-gateway-cache"] ?? "")?.[1];
    call.replayed = reply.headers["x-gateway-replayed"];
    await read(world, gateway, call, reply, how);
    await reply.after?.();
    call.finished = true;
    world.books.ended(call, world.cloud.db);
    // No platform lets a call take longer, and hashes that keys have left are removed after that.
    const tookMs = world.scheduler.now - call.calledAt;
    const isInOrder = key.history?.mayRefuse(call, world.scheduler.now) ?? false;
    if (call.status === 401 && tookMs <= limits.serverCallMs && !isInOrder && isInForce(world.cloud.db, key))
      world.books.violation(`${id} was refused although its key is in force`);
  };
  world.serving(gateway, act, how);
  return call;
}

function requestOf({ id, key, idempotency, script, model, fallback }: Call, how: Manner, now: number) {
  const text = { type: "text", text: idempotency ?? id };
  const body = {
    model,
    max_tokens: how.strict ? 20_000 : 50,
    stream: how.stream,
    messages: [{ role: "user", content: script.document ? [document, text] : text.text }],
    ...(how.user !== undefined && { user: how.user }),
    ...(how.question && bodyOf(how.question)),
  };
  return {
    id,
    method: "POST",
    path,
    query: new URLSearchParams(),
    headers: {
      authorization: `Bearer ${key.secret}`,
      ...(idempotency !== undefined && { "idempotency-key": idempotency }),
      ...(fallback && { "x-gateway-fallback": dear.id }),
      ...(how.question?.semantic && { "x-gateway-cache": "semantic" }),
      ...tagHeader(id),
    },
    body: Buffer.from(JSON.stringify(body)),
    received_at: now,
    deadline_at: now + how.timeMs,
  };
}

/** Each write to the client is a step of its own. */
async function read(
  world: World,
  { run }: Gateway,
  call: Call,
  { status, body, gone }: HttpReply,
  { leavesAfter, stallsAfter }: Manner,
): Promise<void> {
  const write = (bytes: Uint8Array, end: boolean) =>
    world.scheduler.effect(
      run,
      `writes ${bytes.length} bytes of ${call.id}`,
      world.cloud.weather.effects,
      () => {
        call.status = status;
        call.answeredAt = world.scheduler.now;
        call.received += Buffer.from(bytes).toString();
        call.sawEnd = status === 200 && (end || call.received.includes("[DONE]"));
      },
    );
  if (typeof body === "string") return await write(Buffer.from(body), true);
  if (body instanceof Uint8Array) return await write(body, true);
  const left = Promise.withResolvers<void>();
  let writes = 0;
  const take = async (bytes: Uint8Array): Promise<void> => {
    if (writes >= Math.min(leavesAfter, stallsAfter)) return;
    await write(bytes, false);
    writes += 1;
    if (writes >= stallsAfter) {
      call.stalled = true;
      world.scheduler.note(run, `waits for the reader of ${call.id}`);
      await gone;
    }
    if (writes >= Math.min(leavesAfter, stallsAfter)) left.resolve();
  };
  await Promise.race([readBody({ body }, take), left.promise]);
}
