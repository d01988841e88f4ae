/** OpenAI chat requests passed through by splicing. */

import {
  membersOf,
  type OutlinedBody,
  type Slices,
  type Splice,
  sliced,
} from "../../../../base/json/body.ts";
import { isObject } from "../../../../base/json/fields.ts";
import type { ChatCall } from "../../../../books/billing/call.ts";
import type { Traits } from "../../../../books/catalog/traits.ts";
import { memberSplice, modelSplice, withoutMember } from "../../splicing.ts";

const usageSwitch = '"include_usage":true';

/** The client's bytes with `model` and, on streams, the usage switched on (contract §1.3) unless traits refuse it. */
export function passThrough(body: OutlinedBody, call: ChatCall, model: string, traits?: Traits): Slices {
  const isRefused = traits?.fields?.stream_options === null;
  const usage = isRefused ? withoutMember(body, "stream_options") : call.stream ? [switchUsageOn(body)] : [];
  return sliced(body.bytes, [modelSplice(body, model), ...usage]);
}

function switchUsageOn(body: OutlinedBody): Splice {
  const options = body.members.find(({ key }) => key === "stream_options");
  if (!options || !isObject(body.outline.stream_options)) {
    return memberSplice(body, "stream_options", `{${usageSwitch}}`);
  }
  const { value_start: offset } = options;
  const members = membersOf(body.bytes.subarray(offset, options.value_end));
  const given = members.find(({ key }) => key === "include_usage");
  if (given) return { start: offset + given.value_start, end: offset + given.value_end, text: "true" };
  const comma = members.length > 0 ? "," : "";
  return { start: offset + 1, end: offset + 1, text: usageSwitch + comma };
}
