/**
 * The smaller call that would fit, for a call that costs more than there is: a lower maximum of its answer, or fewer
 * pictures.
 */

import { isObject } from "../../base/json/fields.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { fieldsOf, maximumOf } from "./maximum.ts";
import type { Prepared } from "./prepare.ts";
import { quoteOf } from "./quote.ts";
import { mostPoints } from "./strict.ts";

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
  return mostPoints(quoteOf(decoded, null, deps));
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
