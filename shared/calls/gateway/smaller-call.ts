/**
 * The smaller call that would fit, for a call that costs more than there is: a lower maximum of its answer, or fewer
 * pictures.
 */

import type { FormBody } from "../../base/http/form.ts";
import type { ProtocolName } from "../../base/http/routes.ts";
import type { JsonBody } from "../../base/json/body.ts";
import { type Fields, isAbsent, isObject } from "../../base/json/fields.ts";
import { holdPoints } from "../../books/billing/pricing/hold-points.ts";
import { traitsAt } from "../../books/catalog/traits.ts";
import { boundsOf, reasonsBeyond, roomOf } from "./bounds.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";
import type { Prepared } from "./prepare.ts";
import { coveredNow } from "./strict.ts";

/** Names what would make a call fit into so many free points, 10⁻¹⁸; undefined where nothing would. */
export function smallerCall(
  decoded: Prepared,
  free: bigint,
  deps: Pick<Deps, "catalog">,
): string | undefined {
  return decoded.call.images === undefined
    ? shorter(decoded, free, deps)
    : fewerPictures(decoded, free, deps);
}

/** What is held for a call before it is sent, 10⁻¹⁸ points. */
function heldFor(decoded: Decoded, deps: Pick<Deps, "catalog">): bigint {
  const { model, protocol } = decoded;
  const bounded = boundsOf(decoded, roomOf(model, protocol), deps);
  return holdPoints(coveredNow(bounded), deps.catalog.price(model));
}

/**
 * The bytes that a new field adds besides its name: quotes, a colon, a comma, a number, and the object it may stand
 * in.
 */
const addedBytes = 24;

function shorter(decoded: Prepared, free: bigint, deps: Pick<Deps, "catalog">): string | undefined {
  const { call, size, model } = decoded;
  const maximum = maximumOf(decoded, deps);
  if (!maximum) return undefined;
  const now = maximum.added ? null : call.max_output_tokens;
  const most = largest(Math.min(now ?? model.output_tokens, model.output_tokens), (tokens) => {
    const changed = { max_output_tokens: tokens, answer_only: maximum.answer_only };
    // A call is held for the text of its request, which a new field and more digits make longer.
    const added =
      now === null ? maximum.name.length + addedBytes : String(tokens).length - String(now).length;
    const longer = { ...size, text_bytes: size.text_bytes + added };
    // It has to fit whichever of its models answers.
    return [decoded, ...(decoded.fallbacks ?? [])].every(
      (each) => heldFor({ ...each, call: { ...each.call, ...changed }, size: longer }, deps) <= free,
    );
  });
  if (most <= leastOf(decoded)) return undefined;
  const instead = maximum.replaces === undefined ? "" : ` in place of \`${maximum.replaces}\``;
  return `\`${maximum.name}\` of at most ${most}${instead}`;
}

/** OpenAI's Responses refuse a maximum of this or less. */
const responsesLeast = 15;

/** A maximum must be larger than this. Anthropic refuses one that its thinking alone may use up. */
function leastOf({ protocol, body, adapts }: Prepared): number {
  if (protocol.name === "openai-responses") return responsesLeast;
  const { thinking } = fieldsOf(body);
  const budget = isObject(thinking) ? thinking.budget_tokens : undefined;
  return protocol.crossing === "anthropic" && !adapts && typeof budget === "number" ? budget : 0;
}

interface Maximum {
  /** The field's name in the client's protocol. */
  name: string;
  /** The request does not have it yet. */
  added: boolean;
  /** The field whose place it must take. */
  replaces?: string;
  answer_only: boolean;
}

const maximumNames: Partial<Record<ProtocolName, string>> = {
  anthropic: "max_tokens",
  "bedrock-converse": "inferenceConfig.maxTokens",
  "bedrock-invoke": "max_tokens",
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
  const [answer, whole] = [!isAbsent(fields.max_tokens), !isAbsent(fields.max_completion_tokens)];
  // A call that gives both is held for the larger one.
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

/** Whether one of a model's channels knows only the newer name of the maximum. The gateway itself knows both. */
function refusesOlder(model: Prepared["model"], { catalog }: Pick<Deps, "catalog">): boolean {
  return model.channels.some(
    (channel) =>
      traitsAt(model, catalog.provider(channel.provider) ?? {}, channel).maximum === "max_completion_tokens",
  );
}

function fewerPictures(decoded: Prepared, free: bigint, deps: Pick<Deps, "catalog">): string | undefined {
  const { call, body } = decoded;
  const images = call.images ?? 0;
  const asked = "parts" in body ? Number(body.value.n ?? 1) : fieldsOf(body).n;
  const n = typeof asked === "number" ? asked : 1;
  const fits = (images: number) => heldFor({ ...decoded, call: { ...call, images } }, deps) <= free;
  const each = images / n;
  const most = largest(n - 1, (count) => fits(count * each));
  if (most > 0) return `\`n\` of at most ${most}`;
  // A form cannot hold the object in which a series' length stands.
  const series = n === 1 && !("parts" in body) ? largest(each - 1, fits) : 0;
  return series === 0 ? undefined : `\`sequential_image_generation_options.max_images\` of at most ${series}`;
}

function fieldsOf(body: JsonBody | FormBody): Fields {
  return "outline" in body ? body.outline : body.value;
}

/** The largest number from 1 to `most` that fits; 0 where none does. Every number below one that fits must fit too. */
function largest(most: number, fits: (count: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
