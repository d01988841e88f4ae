/** Tagged signatures in a body that is passed through to a provider of this protocol (crossings.md, "Signatures"). */
import { fateOf, foreignReasoning, foreignSignature, mayHoldTag } from "../../chat/signature.ts";
import { type Edit, editItems, editMembers, isEmptyArray, replaceBy, takeOut } from "../../http/edit.ts";
import { type Fields, isObject } from "../../http/fields.ts";
import type { Untagged } from "../protocol.ts";
import { camelKeys } from "./names.ts";
import { unsigned } from "./signature.ts";

/**
 * Restores the signatures of the model of `origin`, and takes out the thoughts of others. A call that another model made
 * gets the sentinel in place of a signature. The contents may stand in a request whose tokens are to be counted.
 */
export function untag(bytes: Buffer, origin: string): Untagged {
  const dropped = new Set<string>();
  const part: Edit = (given) => (mayHoldTag(given) ? editPart(given, origin, dropped) : given);
  const content: Edit = (given) => {
    if (!mayHoldTag(given)) return given;
    let emptied = false;
    const edited = editMembers(given, {
      parts(parts) {
        const left = editItems(parts, part);
        emptied = left !== parts && isEmptyArray(left);
        return left;
      },
    });
    // Gemini refuses a content without parts.
    return emptied ? undefined : edited;
  };
  const contents: Edit = (given) => editItems(given, content);
  const whole: Edit = (given) => editMembers(given, { contents });
  const edited = editMembers(bytes, {
    contents,
    generateContentRequest: whole,
    generate_content_request: whole,
  });
  return { bytes: edited, dropped: [...dropped] };
}

function editPart(part: Buffer, origin: string, dropped: Set<string>): Buffer | undefined {
  const given: unknown = JSON.parse(part.toString());
  if (!isObject(given)) return part;
  const fields = camelKeys(given);
  const fate = fateOf(fields["thoughtSignature"], origin);
  if (fate.fate === "stays") return part;
  if (fate.fate === "restored") return sign(part, replaceBy(fate.signature));
  if (isObject(fields["functionCall"])) {
    if (fate.signed) dropped.add(foreignSignature);
    return sign(part, replaceBy(unsigned));
  }
  if (saysSomething(fields)) {
    dropped.add(foreignSignature);
    return sign(part, takeOut);
  }
  dropped.add(foreignReasoning);
  return undefined;
}

function sign(part: Buffer, edit: Edit): Buffer {
  return editMembers(part, { thoughtSignature: edit, thought_signature: edit });
}

/** A part that is more than a thought or the carrier of a signature. */
function saysSomething({ thought, text, thoughtSignature: _, ...others }: Fields): boolean {
  return thought !== true && ((typeof text === "string" && text !== "") || Object.keys(others).length > 0);
}
