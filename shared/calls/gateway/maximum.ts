/** By which field a request of a protocol bounds its answer. */

import type { FormBody } from "../../base/http/form.ts";
import type { ProtocolName } from "../../base/http/routes.ts";
import type { JsonBody } from "../../base/json/body.ts";
import { type Fields, isAbsent } from "../../base/json/fields.ts";
import { traitsAt } from "../../books/catalog/traits.ts";
import { reasonsBeyond } from "./bounds.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";

/** The field by which a request bounds its answer. */
export interface Maximum {
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
export function maximumOf(
  { protocol, body, call, model }: Decoded,
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
function refusesOlder(model: Decoded["model"], { catalog }: Pick<Deps, "catalog">): boolean {
  return model.channels.some(
    (channel) =>
      traitsAt(model, catalog.provider(channel.provider) ?? {}, channel).maximum === "max_completion_tokens",
  );
}

/** The fields of a body by name. */
export function fieldsOf(body: JsonBody | FormBody): Fields {
  return "outline" in body ? body.outline : body.value;
}
