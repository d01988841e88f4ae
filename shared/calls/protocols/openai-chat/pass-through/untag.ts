/** Tagged signatures in a body that is passed through to a provider of this protocol (crossings.md, "Signatures"). */

import {
  type Edit,
  editItems,
  editMembers,
  isEmptyArray,
  replaceBy,
  takeOut,
} from "../../../../base/json/edit.ts";
import { isObject } from "../../../../base/json/fields.ts";
import { fateOf, foreignReasoning, mayHoldTag } from "../../../chat/signature.ts";
import { editSignedCall, googleSignature } from "../../openai-tools.ts";
import type { Untagged } from "../../protocol.ts";

/** Restores the signatures of the model of `origin`, and takes out the reasoning of others. */
export function untag(bytes: Buffer, origin: string): Untagged {
  const dropped = new Set<string>();
  const message: Edit = (given) => (mayHoldTag(given) ? editMessage(given, origin, dropped) : given);
  const edited = editMembers(bytes, { messages: (messages) => editItems(messages, message) });
  return { bytes: edited, dropped: [...dropped] };
}

function editMessage(message: Buffer, origin: string, dropped: Set<string>): Buffer {
  let isTakenOut = false;
  const detail: Edit = (given) => {
    const edited = editDetail(given, origin);
    isTakenOut ||= edited === undefined;
    return edited;
  };
  const edited = editMembers(message, {
    reasoning_details(details) {
      const left = editItems(details, detail);
      return left !== details && isEmptyArray(left) ? undefined : left;
    },
    tool_calls: (calls) => editItems(calls, (call) => editCall(call, origin, dropped)),
    function_call: (call) => editCall(call, origin, dropped),
  });
  if (!isTakenOut) return edited;
  dropped.add(foreignReasoning);
  // These repeat the text of all details in one. What is left of the details brings its own text.
  return editMembers(edited, { reasoning_content: takeOut, reasoning: takeOut });
}

function editDetail(detail: Buffer, origin: string): Buffer | undefined {
  const fields: unknown = JSON.parse(detail.toString());
  if (!isObject(fields)) return detail;
  const place = fields.type === "reasoning.encrypted" ? "data" : "signature";
  const fate = fateOf(fields[place], origin);
  if (fate.fate === "stays") return detail;
  if (fate.fate === "restored") return editMembers(detail, { [place]: replaceBy(fate.signature) });
  return undefined;
}

function editCall(call: Buffer, origin: string, dropped: Set<string>): Buffer {
  const fields: unknown = JSON.parse(call.toString());
  return isObject(fields) ? editSignedCall(call, fateOf(googleSignature(fields), origin), dropped) : call;
}
