/**
 * Calls that name a model to be asked after their own. The model that answers is charged. The hold covers each of their
 * models. A call that died is billed as one of the model that was asked last.
 */

import type { OutgoingRequest } from "#shared/base/platform/http-client.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { Call } from "./calls.ts";
import { dear } from "./catalog.ts";
import { dueOf } from "./costs.ts";
import { drawScript, reports, type Script } from "./provider.ts";
import type { Random } from "./random.ts";
import { isCharged } from "./repetitions.ts";

/** What a call does about another model. */
export interface Fallback {
  /** How its own model's providers fail; undefined where they do as it comes. */
  fails: Script["kind"] | undefined;
  /** How the call goes at the other model. */
  script: Script;
}

/** The mark of an answer that a fallback gave. */
const mark = "(fallback)";
/** No request of a call that is not strict allows more, and no usual script reports more. */
const usualMost = { input: 40, output: 50 };

/** A fallback that is asked in most cases. */
export function drawFallback(random: Random): Fallback {
  const fails = random.chance(0.7) ? random.pick(["refuses", "unreachable", "silent"] as const) : undefined;
  return { fails, script: drawScript(random) };
}

/** The script of the other model. Its answer to a question says that it is one of a fallback. */
export function scriptOf({ script }: Fallback, own: Script): Script {
  const marked = own.mark === undefined ? {} : { mark: `${own.mark}${mark}` };
  return { ...script, document: own.document, ...marked };
}

/** Turns a call to its fallback, once that is asked. */
export function turnIfAsked(call: Call, { body }: Pick<OutgoingRequest, "body">): void {
  if (call.fallback === undefined || !textOf(body).includes(dear.channel)) return;
  call.script = call.fallback;
  call.model = dear.id;
  call.factor = dear.factor;
}

/** The provider's name of the model that a request asks. */
export function modelIn({ body }: Pick<OutgoingRequest, "body">): string {
  return JSON.parse(textOf(body)).model;
}

function textOf(body: OutgoingRequest["body"]): string {
  return [body]
    .flat()
    .map((part) => (typeof part === "string" ? part : Buffer.from(part).toString()))
    .join("");
}

/** Says what is wrong with a call that is over. `holds` are the points of its holds. */
export function fallbackGaps(call: Call, event: UsageEvent, holds: bigint[]): string[] {
  const { id, script, model, hit, received, factor, fallback, asked, key } = call;
  if (fallback === undefined) return [];
  const gaps: string[] = [];
  if (hit !== undefined && received.includes(mark))
    gaps.push(`${id} was given the answer of a fallback out of the cache`);
  if (asked === 0 || !isCharged(event)) return gaps;
  const turned = factor > 1n;
  // A process may die between the intent of the fallback and its request.
  const mayBeEarly = event.source === "sweeper" && !turned && event.model === dear.id;
  if (event.model !== model && !mayBeEarly)
    gaps.push(`${id} was last asked of ${model}, and is charged as one of ${event.model}`);
  if ((event.requested_model !== undefined) !== (event.model === dear.id))
    gaps.push(
      `${id} asked for ${event.requested_model} by its entry, and is charged as one of ${event.model}`,
    );
  const isUsual = reports(script) && script.input <= usualMost.input && script.output <= usualMost.output;
  const cost = parsePoints(event.cost_points);
  const isReported = cost === dueOf(call);
  if (key.record.mode === "payg" && isUsual && isReported && holds.every((points) => cost > points))
    gaps.push(`${id} costs more than was held for the dearest of its models`);
  return gaps;
}
