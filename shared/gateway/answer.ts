/** Gives a client its answer: whole, or frame by frame with the end held back until the usage is durable. */
import { costHeader } from "../access/cost-header.ts";
import { StreamFailed, StreamOverflow } from "../exchange/relay.ts";
import type { BodySink, HttpReply, HttpRequest } from "../http/message.ts";
import { writeWithPings } from "../http/pings.ts";
import { isFree } from "../ledger/free.ts";
import type { UsageEvent } from "../ledger/usage-event.ts";
import { limits } from "../limits.ts";
import { describeError } from "../platform/log.ts";
import { within } from "../platform/pause.ts";
import { costInFrames, costInReply } from "../protocols/cost.ts";
import { laterDetails } from "../protocols/switches.ts";
import type { Admitted } from "./admit.ts";
import type { Answer, Answered, StreamAnswer, WholeAnswer } from "./attempt.ts";
import type { Deadline } from "./deadline.ts";
import type { Deps } from "./deps.ts";
import { answerHeaders } from "./headers.ts";
import { type Outcome, publish } from "./meter.ts";
import { createGuard, type Guard, type Refused } from "./strict.ts";

/**
 * Publishes the usage of a whole reply, then gives its bytes. They are unchanged, unless the client wants the cost in
 * them.
 */
export async function answerWhole(
  admitted: Admitted,
  answer: WholeAnswer & Answered,
  deps: Deps,
): Promise<HttpReply> {
  const { facts } = answer;
  const { event, settle } = await publish(
    admitted,
    {
      outcome: "completed",
      usage: facts.usage,
      early: undefined,
      produced: facts.produced,
      finish: facts.finish,
      pictures: facts.pictures,
      details: laterDetails(answer.served, facts.details ?? {}),
      output_bytes: () => facts.output_bytes,
      asked: answer,
    },
    deps,
  );
  const { protocol, recorder, tells_cost } = admitted;
  const bytes = tells_cost ? costInReply(protocol, answer.bytes, event.cost_points) : answer.bytes;
  recorder?.add(bytes);
  await keepOrRelease(admitted, answer, event);
  logEnd(admitted, event, answer, deps);
  return {
    status: answer.status,
    headers: {
      "content-type": answer.content_type,
      ...answerHeaders(admitted, answer, deps.now()),
      ...costHeader(event.cost_points),
    },
    body: bytes,
    ...(settle ? { after: settle } : {}),
  };
}

/**
 * Relays a stream. The body never throws: where the provider breaks off, it ends with the protocol's error frame. If
 * the client hangs up or stalls, `after` reads the provider to its end and drops what comes. The call is then billed
 * exactly what it caused (design §3 "Charge policy"). A client that reads on after that gets an error frame.
 */
export function answerStream(
  admitted: Admitted,
  answer: StreamAnswer & Answered,
  deadline: Pick<Deadline, "clear">,
  deps: Deps,
): HttpReply {
  const { recorder } = admitted;
  const source = readStream(admitted, answer, deps);
  let settle: (() => Promise<void>) | undefined;
  let concluded: Promise<Uint8Array> | undefined;
  let abandoned = false;

  const conclude = async (): Promise<Uint8Array> => {
    deadline.clear();
    answer.release();
    const held = await source.guard.idle();
    // The end is built before the usage is published: a translation may find only now that it failed.
    const ending = source.completed() ? endingOf(answer) : undefined;
    const outcome = streamOutcome(admitted, answer, ending !== undefined, deps.now());
    const published = await publish({ ...admitted, ...held }, outcome, deps);
    settle = published.settle;
    logEnd(admitted, published.event, answer, deps);
    if (ending) {
      const { protocol, tells_cost } = admitted;
      const frames = tells_cost ? costInFrames(protocol, ending, published.event.cost_points) : ending;
      const last = answer.relay.finish(frames);
      recorder?.add(last);
      await keepOrRelease(admitted, answer, published.event);
      return last;
    }
    await recorder?.release();
    const { output_tokens } = published.event.usage;
    return answer.relay.finish(lastFrames(admitted, answer, source.guard.refused(), output_tokens));
  };

  const next = () => (abandoned ? Promise.resolve(undefined) : source.next());

  const body = async (sink: BodySink): Promise<void> => {
    if (answer.first.length > 0) await sink.write(answer.first);
    await writeWithPings(sink, { next, ping: answer.client.ping }, deps);
    if (!abandoned) concluded ??= conclude();
    const last = abandoned ? answer.relay.finish([lostFrame(admitted, answer)]) : await concluded;
    if (last && last.length > 0) await sink.write(last);
  };

  return {
    status: answer.status,
    headers: {
      "content-type": answer.content_type,
      "cache-control": "no-cache, no-transform",
      ...answerHeaders(admitted, answer, deps.now()),
    },
    body,
    after: async () => {
      abandoned = true;
      while (await source.next()) {
        // Nobody reads these bytes, but the usage comes at their end.
      }
      concluded ??= conclude();
      await concluded;
      await settle?.();
    },
  };
}

/**
 * Keeps the answer for repetitions of the call. A free answer is not kept, like a failed one: a repetition may get a
 * better answer.
 */
async function keepOrRelease({ recorder }: Admitted, answer: Answer, { calls }: UsageEvent): Promise<void> {
  await (calls > 0 ? recorder?.keep(answer) : recorder?.release());
}

/** The frames that were held back; undefined where the translation has no end for a stream that was cut. */
function endingOf({ relay }: StreamAnswer): Buffer[] | undefined {
  try {
    return relay.held();
  } catch (error) {
    if (error instanceof StreamFailed) return undefined;
    throw error;
  }
}

/**
 * The frames that end a stream without an end of its own: one that was stopped because it was `refused` more, or that
 * failed.
 */
function lastFrames(
  { route: { style } }: Admitted,
  { relay: { stopper }, client }: StreamAnswer,
  refused: Refused | undefined,
  output_tokens: number,
): Buffer[] {
  if (refused && stopper) return stopper.end({ style, ...refused, output_tokens });
  return [client.errorFrame(style, refused?.key ?? "upstream_error", refused?.detail)];
}

/** The error frame for a client that reads on after the stream went on without it. */
function lostFrame({ route: { style } }: Admitted, { client }: StreamAnswer): Buffer {
  const message = "The answer was not read for too long, and its rest is lost. What it used is billed.";
  return client.errorFrame(style, "upstream_error", { message });
}

/** The provider's bytes that may leave; `next` gives undefined at the end, however the stream ends. Never rejects. */
function readStream(
  admitted: Admitted,
  { relay, reader, first, rest, abort, broke }: StreamAnswer & Answered,
  deps: Deps,
): { next: () => Promise<Buffer | undefined>; completed: () => boolean; guard: Guard } {
  const { recorder } = admitted;
  const guard = createGuard(admitted, abort, deps);
  const isOver = () => reader.over() && !reader.open_ended;
  let ended = isOver();
  let broken = false;
  let overflown = false;
  recorder?.add(first);
  // Output that was read with the first frame counts too.
  if (!reader.over()) void guard.reached(relay.outputBytes);
  const read = async (): Promise<Buffer | undefined> => {
    try {
      const coming = rest.next();
      const piece = await (reader.over() ? within(coming, limits.drainMs, undefined) : coming);
      const out = piece && relay.push(piece);
      ended = piece === undefined || isOver();
      if (out) recorder?.add(out);
      if (!reader.over()) await guard.reached(relay.outputBytes);
      return out;
    } catch (error) {
      deps.log("warn", "stream_failed", { request: admitted.request.id, error: describeError(error) });
      ended = true;
      broken = true;
      if (!guard.refused()) broke();
      overflown = error instanceof StreamOverflow;
      // It sends more than may be kept, so its socket is not read to the end.
      if (overflown) abort();
      if (!(error instanceof StreamFailed)) return undefined;
      recorder?.add(error.before);
      return error.before;
    }
  };
  return {
    // The body may still wait for a read when the work after it begins to read. Reads are answered in their order.
    next: () => (ended || guard.refused() ? Promise.resolve(undefined) : read()),
    // A stream that only closes has ended if its usage had come. If not, the answer was cut off.
    completed: () =>
      !overflown && (reader.over() || (!broken && !guard.refused() && reader.usage() !== undefined)),
    guard,
  };
}

function streamOutcome(
  { protocol, request }: Admitted,
  answer: StreamAnswer & Answered,
  completed: boolean,
  now: number,
): Outcome {
  const { relay, reader, served } = answer;
  const given = { usage: reader.usage(), produced: reader.produced(), finish: reader.finish() };
  return {
    ...given,
    outcome: completed ? "completed" : isFree(protocol.kind, given) ? "failed" : "truncated",
    early: reader.early(),
    pictures: reader.pictures?.(),
    details: laterDetails(served, reader.details?.() ?? {}),
    output_bytes: () => relay.outputBytes(),
    asked: answer,
    generation_ms: now - beganAt(request, answer),
  };
}

/** When the answer of a stream began, Unix milliseconds. */
function beganAt(
  { received_at }: Pick<HttpRequest, "received_at">,
  { timing: { sent_ms, attempt_ms } }: Pick<StreamAnswer, "timing">,
): number {
  return received_at + sent_ms + attempt_ms;
}

function logEnd(
  admitted: Admitted,
  event: UsageEvent,
  { status, timing }: Pick<WholeAnswer, "status" | "timing">,
  deps: Deps,
): void {
  deps.log("info", "call", {
    request: event.id,
    organization: event.organization,
    key: event.key,
    model: event.model,
    route: admitted.route.path,
    status,
    provider: event.provider ?? "",
    attempts: event.attempts,
    ...timing,
    duration_ms: event.ended_at - event.admitted_at,
    cost_points: event.cost_points,
    evidence: event.evidence,
    flags: event.flags.join(" "),
  });
}
