/** A provider that follows a script: what it answers, in which pieces, and where it breaks. */

import {
  type IncomingReply,
  type OutgoingRequest,
  type Send,
  TransportError,
} from "#shared/base/platform/http-client.ts";
import { ArrivingBody, type ReplyBody } from "#shared/base/platform/reply-body.ts";
import { tokensGuess } from "#shared/calls/chat/estimate.ts";
import type { Random } from "./random.ts";
import type { Run, Scheduler } from "./scheduler.ts";
import type { Weather } from "./weather.ts";

/** How a call goes at the provider, if it gets there. */
export interface Script {
  kind:
    | "answers"
    | "no usage"
    | "cut in the middle"
    | "cut before the end"
    | "error in the stream"
    | "ends at once"
    | "nothing"
    | "refuses"
    | "blames the request"
    | "unreachable"
    | "silent"
    | "silent in the middle"
    | "garbage";
  /** The provider that is asked first answers nothing, and only the next one follows the script. */
  hangs: boolean;
  input: number;
  output: number;
  pieces: number;
  /** The client brings a file by its id, which comes to far more than its request's bytes. */
  document: boolean;
  /** Of each piece's text, at least. */
  bytes: number;
  /** Milliseconds between two pieces, at most. */
  pauseMs: number;
  /** What its answer says, besides its words. */
  mark?: string;
}

const kinds: Script["kind"][] = [
  "no usage",
  "cut in the middle",
  "cut before the end",
  "error in the stream",
  "ends at once",
  "nothing",
  "refuses",
  "blames the request",
  "unreachable",
  "silent",
  "silent in the middle",
  "garbage",
];

/** A script; every other one is a plain answer, and some report more than any hold covers, or nothing. */
export function drawScript(random: Random): Script {
  const size = random.pick(["usual", "usual", "usual", "usual", "huge", "zero"]);
  const kind = random.chance(0.6) ? "answers" : random.pick(kinds);
  const input = size === "zero" ? 0 : size === "huge" ? random.between(1_000, 3_000) : random.between(1, 40);
  const script: Script = {
    kind,
    input,
    hangs: input % 7 === 3,
    document: size === "huge" && input % 4 === 0,
    output: size === "zero" ? 0 : size === "huge" ? random.between(100, 300) : random.between(1, 50),
    pieces: random.between(1, 4),
    bytes: 0,
    pauseMs: random.pick([10, 10, 1_000, 60_000]),
  };
  // Where a stop sequence is all the answer, or nothing is, no output tokens are reported.
  return kind === "ends at once" || kind === "nothing" ? { ...script, output: 0 } : script;
}

/** A script whose answer is longer than a strict model's stream holds at a time. */
export function drawLongScript(random: Random): Script {
  const [pieces, bytes] = [random.between(3, 8), random.between(3_000, 9_000)];
  const output = tokensGuess(pieces * bytes);
  const script = drawScript(random);
  const input = random.between(1, 40);
  return { ...script, input, output: script.kind === "answers" ? output : script.output, pieces, bytes };
}

/** Whether the provider says what the call used, and says so before any break. */
export function reports({ kind }: Script): boolean {
  return kind === "answers" || kind === "ends at once" || kind === "nothing";
}

/** Whether an answer that came through is free: it has no output, and no end either. */
export function isNothing({ kind }: Script): boolean {
  return kind === "nothing";
}

const frame = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const usageOf = ({ input, output }: Script) => ({ prompt_tokens: input, completion_tokens: output });
const content = (text: string, finish_reason: string | null = null) => ({
  id: "c",
  choices: [{ index: 0, delta: { content: text }, finish_reason }],
});

/** The pieces of a streamed answer; null is a break of the connection, undefined a silence. */
function streamPieces(script: Script): (string | null | undefined)[] {
  const words = Array.from({ length: script.pieces }, (_, i) =>
    frame(content(`word ${i} ${script.mark ?? ""}`.padEnd(script.bytes, "x"))),
  );
  const end = [
    frame(content("", "stop")),
    frame({ id: "c", choices: [], usage: usageOf(script) }),
    "data: [DONE]\n\n",
  ];
  switch (script.kind) {
    case "no usage":
      return [...words, frame(content("", "stop")), "data: [DONE]\n\n"];
    case "cut in the middle":
      return [...words, null];
    case "cut before the end":
      return [...words, end[0], null];
    case "error in the stream":
      return [...words, frame({ error: { message: "broken" } }), null];
    case "ends at once":
      return [...end];
    case "nothing":
      return [frame(content("")), ...end.slice(1)];
    case "silent in the middle":
      return [...words, undefined];
    case "garbage":
      return ["data: <html>\n\n", null];
    default:
      return [...words, ...end];
  }
}

function wholePieces(script: Script): (string | null | undefined)[] {
  const silent = script.kind === "ends at once" || script.kind === "nothing";
  const message = { role: "assistant", content: silent ? "" : `Hi${script.mark ?? ""}` };
  const reply = {
    id: "c",
    choices: [{ index: 0, message, finish_reason: script.kind === "nothing" ? null : "stop" }],
    ...(script.kind !== "no usage" && { usage: usageOf(script) }),
  };
  const text = JSON.stringify(reply);
  const half = text.slice(0, text.length / 2);
  if (script.kind === "cut in the middle" || script.kind === "cut before the end") return [half, null];
  if (script.kind === "silent in the middle") return [half, undefined];
  if (script.kind === "garbage" || script.kind === "error in the stream") return ["<html>"];
  return [text];
}

/**
 * What sends a run's requests to the provider. `asked` is told of each that is sent, and gives its script; `told`,
 * when the provider has sent a usage, when it has sent all of an answer, and should it be broken off.
 */
export function createSend(
  scheduler: Scheduler,
  weather: () => Weather,
  run: Run,
  asked: (request: OutgoingRequest) => Script,
  told: (what: "usage" | "all" | "broken off") => void,
): Send {
  return async (request) => {
    const script = await scheduler.effect(run, "asks the provider", weather().effects, () => asked(request));
    const aborted = Promise.withResolvers<never>();
    aborted.promise.catch(() => {});
    request.signal?.addEventListener("abort", () =>
      aborted.reject(new TransportError("sent", new Error("aborted"))),
    );
    if (request.signal?.aborted) throw new TransportError("sent", new Error("aborted"));
    const wait = (ms: number) => scheduler.wait(run, ms);
    if (script.kind === "unreachable") throw new TransportError("connect", new Error("refused"));
    if (script.kind === "silent") {
      await Promise.race([wait(request.firstByteMs), aborted.promise]);
      throw new TransportError("sent", new Error("first byte timeout"));
    }
    await Promise.race([wait(scheduler.random.between(1, script.pauseMs)), aborted.promise]);
    if (script.kind === "refuses" || script.kind === "blames the request") {
      return whole(script.kind === "refuses" ? 503 : 400, '{"error":{"message":"no"}}');
    }
    const streamed = request.headers.accept === "text/event-stream";
    const pieces = streamed ? streamPieces(script) : wholePieces(script);
    const body = play(scheduler, run, pieces, script.pauseMs, request, told);
    return {
      status: 200,
      headers: { "content-type": streamed ? "text/event-stream" : "application/json" },
      body,
    };
  };
}

function whole(status: number, text: string): IncomingReply {
  const body = new ArrivingBody({ pause() {}, resume() {}, destroy() {} });
  body.push(Buffer.from(text));
  body.end();
  return { status, headers: { "content-type": "application/json" }, body };
}

/** A body whose pieces come one after the other, whoever reads. */
function play(
  scheduler: Scheduler,
  run: Run,
  pieces: (string | null | undefined)[],
  pauseMs: number,
  { idleMs, signal }: OutgoingRequest,
  told: (what: "usage" | "all" | "broken off") => void,
): ReplyBody {
  let closed = false;
  const close = (error: Error) => {
    closed = true;
    body.fail(new TransportError("sent", error));
  };
  const body = new ArrivingBody({ pause() {}, resume() {}, destroy: close });
  signal?.addEventListener("abort", () => {
    told("broken off");
    close(new Error("aborted"));
  });
  const next = (at: number): void => {
    const piece = pieces[at];
    const ms = piece === undefined && at < pieces.length ? idleMs : scheduler.random.between(1, pauseMs);
    scheduler.after(ms, run, () => {
      if (closed) return;
      if (at >= pieces.length) {
        told("all");
        body.end();
      } else if (piece === undefined) close(new Error("idle timeout"));
      else if (piece === null) close(new Error("connection reset"));
      else {
        scheduler.note(run, `reads ${piece.trim().slice(0, 60)}`);
        body.push(Buffer.from(piece));
        if (piece.includes('"usage"')) told("usage");
        next(at + 1);
      }
    });
  };
  next(0);
  return body;
}
