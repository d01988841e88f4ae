/**
 * Questions that clients ask more than once, and what must be true of answers out of the cache. Each is the answer to
 * this very question of this very asker. It takes a call of the quota and costs nothing.
 */
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { Call } from "./calls.ts";
import { meaningOf } from "./meanings.ts";
import type { Random } from "./random.ts";

/** What a client asks. Calls with the same key, end user, system prompt and text may have the same answer. */
export interface Question {
  text: string;
  system: string;
  user: string | undefined;
  /** It may have the answer to a question that means the same. */
  semantic: boolean;
}

/** The second of these is the first in another form. */
const texts = [
  ...Array(4).fill("Name a colour"),
  "name a colour.",
  "name a colour.",
  "Name a shape",
] as string[];

/** A question of few, so that it has been asked before. */
export function drawQuestion(random: Random): Question {
  return {
    text: random.pick(texts),
    system: drawSystem(random.next()),
    user: random.chance(0.8) ? "ann" : random.pick(["bob", undefined]),
    semantic: false,
  };
}

/** Only a question without a system prompt may be answered by another form of it. */
function drawSystem(drawn: number): string {
  if (drawn < 0.15) return "Be polite";
  return drawn < 0.5 ? "Be brief" : "";
}

/** The body of a question, beside its model. */
export function bodyOf({ text, system, user }: Question): object {
  const asked = { role: "user", content: text };
  const messages = system === "" ? [asked] : [{ role: "system", content: system }, asked];
  return { temperature: 0, ...(user !== undefined && { user }), messages };
}

/** What the provider writes into its answer: who asked what. It is the same for the forms or wordings of a question. */
export function markOf(key: string, { text, system, user, semantic }: Question): string {
  const asked = semantic ? meaningOf(text) : text.toLowerCase().replace(/\.$/, "");
  return `<${[key, user ?? "nobody", system, asked].join("/")}>`;
}

/** Says what is wrong with the answer to a question. */
export function answerGaps(call: Call, event: UsageEvent | undefined): string[] {
  const { id, question, received, hit, sawEnd, gap } = call;
  const mark = question && markOf(call.key.record.id, question);
  const marks = [...received.matchAll(/<key_[^>]*>/g)].map(([found]) => found);
  const foreign = marks.find((found) => found !== mark);
  const gaps = foreign === undefined ? [] : [`${id} was given the answer to ${foreign}`];
  if (hit === undefined) return gaps;
  if (call.asked > 0) gaps.push(`${id} was answered out of the cache, and was sent`);
  if (!sawEnd || gap) return gaps;
  if (event?.evidence !== "cache" || event.cache?.entry !== hit)
    return [...gaps, `${id} was answered out of the cache, and its entry says ${event?.evidence}`];
  const { calls, cost_points, list_points, provider, attempts, usage } = event;
  const isFree = cost_points === "0" && list_points === "0" && provider === null && attempts === 0;
  const isNothing = Object.values(usage).every((count) => count === 0);
  if (calls !== 1) gaps.push(`${id} was answered out of the cache, and takes ${calls} calls of quota`);
  if (!isFree || !isNothing) gaps.push(`${id} was answered out of the cache, and its entry has a usage`);
  return gaps;
}
