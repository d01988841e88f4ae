/** Tagged signatures in a body that is passed through to a provider of this protocol (crossings.md, "Signatures"). */

import { type Edit, editItems, editMembers, replaceBy, takeOut } from "../../../../base/json/edit.ts";
import { isObject } from "../../../../base/json/fields.ts";
import { fateOf, foreignReasoning, mayHoldTag } from "../../../chat/signature.ts";
import { editSignedCall, googleSignature } from "../../openai-tools.ts";
import type { Untagged } from "../../protocol.ts";

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
  if (fields.type === "function_call") {
    return editSignedCall(item, fateOf(googleSignature(fields), origin), dropped);
  }
  const fate = fateOf(fields.encrypted_content, origin);
  if (fate.fate === "stays") return item;
  if (fate.fate === "restored") {
    // The gateway made this id; the encrypted content names another. Without one the provider compares nothing.
    return editMembers(item, { encrypted_content: replaceBy(fate.signature), id: takeOut });
  }
  dropped.add(foreignReasoning);
  return undefined;
}
