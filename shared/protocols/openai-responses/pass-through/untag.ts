/** Tagged signatures in a body that is passed through to a provider of this protocol (crossings.md, "Signatures"). */
import { fateOf, foreignReasoning, foreignSignature, mayHoldTag } from "../../../chat/signature.ts";
import { type Edit, editItems, editMembers, replaceBy, takeOut } from "../../../json/edit.ts";
import { isObject } from "../../../json/fields.ts";
import type { Untagged } from "../../protocol.ts";
import { callSignature } from "../crossing/items.ts";

/** Restores what the model of `origin` encrypted, and takes out the reasoning of others. */
export function untag(bytes: Buffer, origin: string): Untagged {
  const dropped = new Set<string>();
  const item: Edit = (given) => (mayHoldTag(given) ? editItem(given, origin, dropped) : given);
  const edited = editMembers(bytes, { input: (input) => editItems(input, item) });
  return { bytes: edited, dropped: [...dropped] };
}

function editItem(item: Buffer, origin: string, dropped: Set<string>): Buffer | undefined {
  const fields: unknown = JSON.parse(item.toString());
  if (!isObject(fields)) return item;
  if (fields["type"] === "function_call") return editCall(item, callSignature(fields), origin, dropped);
  const fate = fateOf(fields["encrypted_content"], origin);
  if (fate.fate === "stays") return item;
  if (fate.fate === "restored") {
    // The id is the gateway's, and what is encrypted names another: without one the provider does not compare them.
    return editMembers(item, { encrypted_content: replaceBy(fate.signature), id: takeOut });
  }
  dropped.add(foreignReasoning);
  return undefined;
}

function editCall(item: Buffer, signature: string | undefined, origin: string, dropped: Set<string>): Buffer {
  const fate = fateOf(signature, origin);
  if (fate.fate === "stays") return item;
  if (fate.fate === "goes") {
    if (fate.signed) dropped.add(foreignSignature);
    return editMembers(item, { extra_content: takeOut });
  }
  const google: Edit = (given) => editMembers(given, { thought_signature: replaceBy(fate.signature) });
  return editMembers(item, { extra_content: (given) => editMembers(given, { google }) });
}
