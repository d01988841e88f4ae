/** Gives a client its answer: whole, or frame by frame with the end held back until the usage is durable. */

import type { ErrorKey } from "../../base/errors.ts";
import type { BodySink, HttpReply } from "../../base/http/message.ts";
import { isFree } from "../../books/ledger/free.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import { costHeader } from "../access/cost-header.ts";
import type { Recorder } from "../access/recorder.ts";
import { StreamFailed } from "../exchange/relay.ts";
import { costInFrames, costInReply } from "../protocols/cost.ts";
import { laterDetails } from "../protocols/switches.ts";
import { RequestBlamed } from "../upstreams/fault.ts";
import type { Admitted } from "./admit.ts";
import type { AnswerOrigin, ChannelAnswer, StreamAnswer, WholeAnswer } from "./attempt.ts";
import type { Deadline } from "./deadline.ts";
import type { Deps } from "./deps.ts";
import { createFlow } from "./flow.ts";
import { answerHeaders } from "./headers.ts";
import { type CallOutcome, logEnd, publish } from "./meter.ts";
import type { StepRefusal } from "./strict.ts";

/**
 * Publishes the usage of a whole reply, then gives its bytes. They are unchanged, unless the client wants the cost in
 * them.
 */
export async function answerWhole(
  admitted: Admitted,
  answer: WholeAnswer & AnswerOrigin,
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
  if (recorder) await keepOrRelease(recorder, answer, event);
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
 * exactly what it caused (design §3 "Charge policy"). A client that reads on after that gets an error frame. A client
 * that asked for it has the provider broken off as it hangs up, and is billed what came.
 */
export function answerStream(
  admitted: Admitted,
  answer: StreamAnswer & AnswerOrigin,
  deadline: Pick<Deadline, "clear">,
  deps: Deps,
): HttpReply {
  const { recorder } = admitted;
  const flow = createFlow(admitted, answer, deps);
  if (admitted.on_disconnect === "abort") admitted.request.onHangUp?.(flow.breakOff);
  let settle: (() => Promise<void>) | undefined;
  let concluded: Promise<Uint8Array> | undefined;
  let abandoned = false;

  const conclude = async (): Promise<Uint8Array> => {
    deadline.clear();
    answer.release();
    const held = await flow.guard.idle();
    const blamed = await flow.blamed();
    // The end is built before the usage is published: a translation may find only now that it failed.
    const ending = flow.completed() ? endingOf(answer) : undefined;
    const generation_ms = generationMs(admitted, answer, flow.waitedMs(), deps.now());
    const reason = ending ? undefined : (flow.guard.refused() ?? blamed);
    const error = ending ? undefined : (reason?.key ?? "upstream_error");
    const outcome = {
      ...streamOutcome(admitted, answer, error),
      ...(flow.brokenOff() && brokenOff),
      generation_ms,
    };
    const published = await publish({ ...admitted, ...held }, outcome, deps);
    settle = published.settle;
    logEnd(admitted, published.event, answer, deps);
    if (ending) {
      const { protocol, tells_cost } = admitted;
      const frames = tells_cost ? costInFrames(protocol, ending, published.event.cost_points) : ending;
      const last = answer.relay.finish(frames);
      recorder?.add(last);
      if (recorder) await keepOrRelease(recorder, answer, published.event);
      return last;
    }
    await recorder?.release();
    const { output_tokens } = published.event.usage;
    return answer.relay.finish(lastFrames(admitted, answer, reason, output_tokens));
  };

  const body = async (sink: BodySink): Promise<void> => {
    if (answer.first.length > 0) await sink.write(answer.first);
    await flow.writeTo(sink);
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
      // Nobody reads these bytes, but the usage comes at their end.
      await flow.abandon();
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
function keepOrRelease(recorder: Recorder, answer: ChannelAnswer, event: UsageEvent): Promise<void> {
  return event.calls > 0 ? recorder.keep(answer, event) : recorder.release();
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
 * The frames that end a stream without an end of its own. It was stopped because it was refused more, its request is to
 * blame, or it failed.
 */
function lastFrames(
  { route: { style } }: Admitted,
  { relay: { stopper }, client, first }: StreamAnswer,
  reason: StepRefusal | RequestBlamed | undefined,
  output_tokens: number,
): Buffer[] {
  const isBlamed = reason instanceof RequestBlamed;
  if (reason && stopper && !isBlamed) return stopper.end({ style, ...reason, output_tokens });
  return [client.errorFrame(style, reason?.key ?? "upstream_error", reason?.detail, first)];
}

/** The error frame for a client that reads on after the stream went on without it. */
function lostFrame({ route: { style } }: Admitted, { client, first }: StreamAnswer): Buffer {
  const message = "The answer was not read for too long, and its rest is lost. What it used is billed.";
  return client.errorFrame(style, "upstream_error", { message }, first);
}

/** The outcome of a stream whose client hung up, and wished the provider to be broken off then. Nobody is told of it. */
const brokenOff: Pick<CallOutcome, "outcome" | "error" | "broken_off"> = {
  outcome: "truncated",
  error: undefined,
  broken_off: true,
};

/** The outcome of a stream. `error` is what its client is told, if it has not completed. */
function streamOutcome(
  { protocol }: Admitted,
  answer: StreamAnswer & AnswerOrigin,
  error: ErrorKey | undefined,
): CallOutcome {
  const { relay, reader, served } = answer;
  const given = { usage: reader.usage(), produced: reader.produced(), finish: reader.finish() };
  return {
    ...given,
    outcome: error === undefined ? "completed" : isFree(protocol.kind, given) ? "failed" : "truncated",
    error,
    early: reader.early(),
    pictures: reader.pictures?.(),
    details: laterDetails(served, reader.details?.() ?? {}),
    output_bytes: () => relay.outputBytes(),
    asked: answer,
  };
}

/**
 * From the first byte of a streamed answer to `now`, in milliseconds, without the time for which the stream waited for
 * its reader. A client that reads slowly must not make a channel look slow to others.
 */
function generationMs(
  { request: { received_at } }: Pick<Admitted, "request">,
  { timing: { sent_ms, attempt_ms } }: Pick<StreamAnswer, "timing">,
  waitedMs: number,
  now: number,
): number {
  return Math.max(0, now - received_at - sent_ms - attempt_ms - waitedMs);
}
