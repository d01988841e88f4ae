/**
 * The message of a call that costs more than there is: what is held for it, the balance, and what would make it fit.
 * All of that is of the key's own organization. If the key's budget is too low, nothing is said of the balance.
 */

import { formatPoints } from "../billing/points.ts";
import type { PinnedPrice } from "../billing/pricing/price.ts";
import { traitsAt } from "../catalog/traits.ts";
import type { ChatCall } from "../chat/call.ts";
import type { FormBody } from "../http/form.ts";
import type { ProtocolName } from "../http/routes.ts";
import type { JsonBody } from "../json/body.ts";
import { type Fields, isAbsent, isObject } from "../json/fields.ts";
import type { Hold, Refusal } from "../meters/meter.ts";
import { type Bounded, boundsOf, pointsAtFirst, reasonsBeyond } from "./bounds.ts";
import type { Deps } from "./deps.ts";
import type { Prepared } from "./prepare.ts";

/** Says which smaller request would fit into so many free points; undefined where none would. */
export type Fit = (free: bigint) => string | undefined;

/** The refusal's message with what would make the call fit; as it is where the meter does not say what it lacks. */
export function shortfallMessage(
  { message, lack }: Refusal,
  { points }: Pick<Hold, "points">,
  whatFits: Fit | undefined,
): string | undefined {
  if (!lack) return message;
  const smaller = whatFits?.(lack.free);
  if (lack.posted === undefined) {
    return smaller === undefined
      ? message
      : `${message ?? ""} It fits the budget with ${smaller}.`.trimStart();
  }
  const held = lack.posted - lack.free;
  const isHeld = lack.posted >= points;
  const inFlight =
    held > 0n
      ? `, of which ${formatPoints(held)} are held by calls in flight${isHeld ? ": try again when they have ended" : ""}`
      : "";
  const more = `${formatPoints(points - lack.free)} points more`;
  return [
    `The balance does not cover this call, which may cost up to ${formatPoints(points)} points: so much is held until it ends.`,
    `The balance is ${formatPoints(lack.posted)} points${inFlight}.`,
    `The call fits with ${smaller === undefined ? more : `${smaller}, or with ${more}`}.`,
  ].join(" ");
}

/** What would make this call fit at its price: a lower maximum of its answer, or fewer pictures. */
export function fitOf(decoded: Prepared, price: PinnedPrice, deps: Pick<Deps, "catalog">): Fit {
  const isPictures = decoded.call.images !== undefined;
  return (free) =>
    isPictures ? fewerPictures(decoded, price, free, deps) : shorter(decoded, price, free, deps);
}

/** Bytes of a field that has to be added, beside its name: quotes, marks, a number, and the object it may stand in. */
const addedBytes = 24;

function shorter(
  decoded: Prepared,
  price: PinnedPrice,
  free: bigint,
  deps: Pick<Deps, "catalog">,
): string | undefined {
  const { call, size, model } = decoded;
  const maximum = maximumOf(decoded, deps);
  if (!maximum) return undefined;
  const now = maximum.added ? null : call.max_output_tokens;
  const most = largest(Math.min(now ?? model.output_tokens, model.output_tokens), (tokens) => {
    const changed = { ...call, max_output_tokens: tokens, answer_only: maximum.answer_only };
    // The text of a request is part of what it is held for, and so are a new field and its digits.
    const added =
      now === null ? maximum.name.length + addedBytes : String(tokens).length - String(now).length;
    const text_bytes = size.text_bytes + added;
    return pointsAtFirst(boundsOf(decoded, changed, { ...size, text_bytes }, deps), price) <= free;
  });
  if (most <= leastOf(decoded)) return undefined;
  const instead = maximum.replaces === undefined ? "" : ` in place of \`${maximum.replaces}\``;
  return `\`${maximum.name}\` of at most ${most}${instead}`;
}

/** OpenAI's Responses refuse a maximum below 16. */
const responsesLeast = 15;

/** What a maximum has to be more than: Anthropic refuses one that its thinking may use up. */
function leastOf({ protocol, body, adapts }: Prepared): number {
  if (protocol.name === "openai-responses") return responsesLeast;
  const { thinking } = fieldsOf(body);
  const budget = isObject(thinking) ? thinking["budget_tokens"] : undefined;
  return protocol.name === "anthropic" && !adapts && typeof budget === "number" ? budget : 0;
}

interface Maximum {
  /** The field's name in the client's protocol. */
  name: string;
  /** The request does not have it. */
  added: boolean;
  /** The field that it must stand in place of. */
  replaces?: string;
  answer_only: boolean;
}

const maximumNames: Partial<Record<ProtocolName, string>> = {
  anthropic: "max_tokens",
  "openai-responses": "max_output_tokens",
  gemini: "generationConfig.maxOutputTokens",
};

/** The field that bounds the answer of such a request; undefined where the protocol has none. */
function maximumOf(
  { protocol, body, call, model }: Prepared,
  deps: Pick<Deps, "catalog">,
): Maximum | undefined {
  const name = maximumNames[protocol.name];
  if (name !== undefined) return { name, added: call.max_output_tokens === null, answer_only: false };
  if (protocol.name !== "openai-chat") return undefined;
  const fields = fieldsOf(body);
  const [answer, whole] = [!isAbsent(fields["max_tokens"]), !isAbsent(fields["max_completion_tokens"])];
  // Whoever gives both is held for the larger.
  if (answer && whole)
    return { name: "max_tokens` and `max_completion_tokens", added: false, answer_only: false };
  if (whole) return { name: "max_completion_tokens", added: false, answer_only: false };
  // Where reasoning goes beyond `max_tokens`, only the other field bounds the call.
  if (reasonsBeyond(model, deps)) {
    if (answer && call.answer_only !== true) return { name: "max_tokens", added: false, answer_only: false };
    const replaces = answer ? { replaces: "max_tokens" } : {};
    return { name: "max_completion_tokens", added: true, answer_only: false, ...replaces };
  }
  if (!answer && refusesOlder(model, deps)) {
    return { name: "max_completion_tokens", added: true, answer_only: false };
  }
  return { name: "max_tokens", added: !answer, answer_only: true };
}

/** Whether one of a model's channels knows the newer name of the maximum alone. The gateway itself knows both. */
function refusesOlder(model: Prepared["model"], { catalog }: Pick<Deps, "catalog">): boolean {
  return model.channels.some(
    ({ provider }) => traitsAt(model, catalog.provider(provider) ?? {}).maximum === "max_completion_tokens",
  );
}

function fewerPictures(
  decoded: Bounded & Pick<Prepared, "call" | "size" | "body">,
  price: PinnedPrice,
  free: bigint,
  deps: Pick<Deps, "catalog">,
): string | undefined {
  const { call, size, body } = decoded;
  const images = call.images ?? 0;
  const asked = "parts" in body ? Number(body.value["n"] ?? 1) : fieldsOf(body)["n"];
  const n = typeof asked === "number" ? asked : 1;
  const fits = (pictures: number) =>
    pointsAtFirst(boundsOf(decoded, { ...call, images: pictures } satisfies ChatCall, size, deps), price) <=
    free;
  const each = images / n;
  const most = largest(n - 1, (count) => fits(count * each));
  if (most > 0) return `\`n\` of at most ${most}`;
  // A form has no place for the object that holds a series' length.
  const series = n === 1 && !("parts" in body) ? largest(each - 1, fits) : 0;
  return series === 0 ? undefined : `\`sequential_image_generation_options.max_images\` of at most ${series}`;
}

function fieldsOf(body: JsonBody | FormBody): Fields {
  return "value" in body && isObject(body.value) ? body.value : {};
}

/** The largest number of 1 to `most` that fits, where whatever is smaller than one that fits does too; 0 where none does. */
function largest(most: number, fits: (count: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
