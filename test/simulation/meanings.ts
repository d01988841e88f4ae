/**
 * Questions that mean the same in other words, and the two models that say so. Whether these answer in time is drawn.
 * What they say is not: a meaning is one of the lines below.
 */
import { type IncomingReply, type Send, TransportError } from "#shared/base/platform/http-client.ts";
import { ArrivingBody } from "#shared/base/platform/reply-body.ts";
import type { Mutation } from "./mutation.ts";
import type { Question } from "./questions.ts";
import type { Random } from "./random.ts";
import type { Run, Scheduler } from "./scheduler.ts";
import type { Weather } from "./weather.ts";

/** Where the embedder and the verifier are asked. */
export const modelsUrl = "https://meanings.example";

/** The wordings of a meaning. No rule refuses any pair of the first two lines, but the judge does. */
const meanings = [
  [
    "How do I rename a branch in git?",
    "How can I rename a branch in git?",
    "How do you rename a branch in git?",
  ],
  ["How would I rename a branch in git?", "How could we rename a branch in git?"],
  ["How do I delete a branch in git?"],
];

/** A question that may have the answer to another one. */
export function drawMeaning(random: Random): Question {
  const [line = []] = [random.pick([meanings[0], meanings[0], meanings[0], meanings[1], meanings[2]])];
  return {
    text: random.pick(line),
    system: "",
    user: random.chance(0.9) ? "ann" : random.pick(["bob", undefined]),
    semantic: true,
  };
}

/** The meaning of a text: the first wording of its line. */
export function meaningOf(text: string): string {
  return meanings.find((line) => line.includes(text))?.[0] ?? text;
}

/** What sends a run's requests to the two models, or what a mutant makes of it. */
export function createModelSend(
  scheduler: Scheduler,
  weather: () => Weather,
  run: Run,
  mutation: Mutation,
): Send {
  const send: Send = async ({ url, body, signal, firstByteMs }) => {
    const asked = JSON.parse(Buffer.concat(body as Uint8Array[]).toString()) as Record<string, unknown>;
    const embeds = url.endsWith("/embeddings");
    const label = embeds ? "asks the embedder" : "asks the judge";
    await scheduler.effect(run, label, weather().effects, () => {});
    const fate = scheduler.random.pick([...Array(6).fill("answers"), "refuses", "is silent"]);
    if (fate === "is silent") {
      const aborted = Promise.withResolvers<never>();
      signal?.addEventListener("abort", () => aborted.reject(new Error("aborted")));
      await Promise.race([scheduler.wait(run, firstByteMs), aborted.promise]).catch(() => {});
      throw new TransportError("sent", new Error("no answer"));
    }
    if (fate === "refuses") return reply(503, { error: { message: "no" } });
    return reply(200, embeds ? vectorOf() : verdictReply(verdictOf(asked)));
  };
  return mutation.models?.(send) ?? send;
}

/** All questions are near each other, so that rules and judge decide. */
function vectorOf(): object {
  const embedding = Array.from({ length: 16 }, (_, at) => at - 7.5);
  return { data: [{ index: 0, embedding }], usage: { prompt_tokens: 5, total_tokens: 5 } };
}

/** The answer of a judge. */
export function verdictReply(content: string): object {
  return {
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage: { prompt_tokens: 100, completion_tokens: 1, total_tokens: 101 },
  };
}

function verdictOf({ messages }: Record<string, unknown>): string {
  const last = (messages as { content: unknown }[]).at(-1)?.content;
  const pair = JSON.parse(String(last)) as { first: string; second: string; question?: string };
  const said = pair.question === undefined ? meaningOf : markIn;
  return said(pair.first) === said(pair.second) ? "same" : "different";
}

/** Answers say the same if they carry the same mark (`questions.ts`). Nonsense carries none. */
function markIn(answer: string): string {
  return /<key_[^>]*>/.exec(answer)?.[0] ?? answer;
}

/** A whole answer of a model. */
export function reply(status: number, value: object): IncomingReply {
  const body = new ArrivingBody({ pause() {}, resume() {}, destroy() {} });
  body.push(Buffer.from(JSON.stringify(value)));
  body.end();
  return { status, headers: { "content-type": "application/json" }, body };
}
