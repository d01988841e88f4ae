/**
 * The most output tokens that policies allow a call (books/accounts/policies.md "Output tokens"). This is loaded with the
 * first call that such a rule bounds.
 */

import { readJsonObject, setMembers } from "../../base/json/body.ts";
import type { outputBoundOf } from "../../books/accounts/policy-in-force.ts";
import { refusedBy } from "../../books/accounts/policy-in-force.ts";
import { longTextPlaces } from "../chat/measure.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { fieldsOf, maximumOf } from "./maximum.ts";

type OutputBound = NonNullable<ReturnType<typeof outputBoundOf>>;

/**
 * A chat within the bound. One that names no maximum is given the bound as one, where the model could answer with more.
 * Throws `permission_denied` where it names a higher one.
 */
export function boundOutput(
  decoded: Decoded,
  { tokens, by }: OutputBound,
  deps: Pick<Deps, "catalog">,
): Decoded {
  const { call, model, body } = decoded;
  const maximum = maximumOf(decoded, deps);
  if (!maximum || !("members" in body)) return decoded;
  const asked = call.max_output_tokens;
  if (asked !== null && asked > tokens) {
    const name = maximum.replaces ?? maximum.name;
    const what = `allows answers of at most ${tokens} tokens, and \`${name}\` asks for ${asked}`;
    throw refusedBy(by, "max_output_tokens", what, name.split("`")[0]);
  }
  if (asked !== null || model.output_tokens <= tokens) return decoded;
  const bytes = withMember(body.bytes, placeIn(maximum.name, fieldsOf(body)), tokens);
  return {
    ...decoded,
    body: readJsonObject(bytes, longTextPlaces),
    call: { ...call, max_output_tokens: tokens, answer_only: maximum.answer_only },
    output_bound: tokens,
  };
}

/** The path of a field whose name has a point, by the spelling that the request has of its first part. */
function placeIn(name: string, fields: object): string[] {
  const [first = "", ...others] = name.split(".");
  const snake = first.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return [others.length > 0 && snake in fields ? snake : first, ...others];
}

/** The body with a number at the end of a path of one or two names. */
function withMember(bytes: Buffer, [first = "", second]: string[], value: number): Buffer {
  const own = (name: string, text: string) => setMembers(bytes, [], { [name]: text }) ?? bytes;
  if (second === undefined) return own(first, String(value));
  const inside = setMembers(bytes, [first], { [second]: String(value) });
  return inside ?? own(first, JSON.stringify({ [second]: value }));
}
