/** Tagged signatures in a body that is passed through to a provider of this protocol (crossings.md, "Signatures"). */

import {
  type Edit,
  editItems,
  editList,
  editMembers,
  replaceBy,
  takeOut,
} from "../../../../base/json/edit.ts";
import { type Fields, isObject } from "../../../../base/json/fields.ts";
import { fateOf, foreignReasoning, foreignSignature } from "../../../chat/signature.ts";
import type { Untagged } from "../../protocol.ts";
import { unsigned } from "../crossing/signature.ts";
import { camelKeys } from "../names.ts";

/** Restores the signatures of `origin`, drops others' thoughts, and gives others' calls the sentinel. */
export function untag(bytes: Buffer, origin: string): Untagged {
  const dropped = new Set<string>();
  const contents: Edit = (given) => {
    const edits = editsOf(JSON.parse(given.toString()), origin, dropped);
    return editItems(given, (content, index) => editContent(content, edits[index] ?? []));
  };
  const whole: Edit = (given) => editMembers(given, { contents });
  const edited = editMembers(bytes, {
    contents,
    generateContentRequest: whole,
    generate_content_request: whole,
  });
  return { bytes: edited, dropped: [...dropped] };
}

function editContent(content: Buffer, edits: readonly (Edit | undefined)[]): Buffer | undefined {
  // Gemini refuses a content without parts.
  return editList(content, "parts", (part, index) => (edits[index] ? edits[index](part) : part));
}

/** What is done to each part of each content. */
function editsOf(contents: unknown, origin: string, dropped: Set<string>): (Edit | undefined)[][] {
  /** The pieces of an open thought, before its signature. Each chunk of a stream may be a content of its own. */
  let thought: (() => void)[] = [];
  return (Array.isArray(contents) ? contents : []).map((content: unknown) => {
    const edits: (Edit | undefined)[] = [];
    const parts = isObject(content) && Array.isArray(content.parts) ? content.parts : [];
    if (!isObject(content) || content.role !== "model") thought = [];
    for (const [index, part] of parts.entries()) {
      const fields = isObject(part) ? camelKeys(part) : {};
      const edit = editOf(fields, origin, dropped);
      edits[index] = edit;
      if (fields.thought === true && fields.thoughtSignature === undefined) {
        thought.push(() => {
          edits[index] = takeOut;
        });
        continue;
      }
      if (edit === takeOut) for (const takePiece of thought) takePiece();
      thought = [];
    }
    return edits;
  });
}

function editOf(fields: Fields, origin: string, dropped: Set<string>): Edit | undefined {
  const fate = fateOf(fields.thoughtSignature, origin);
  if (fate.fate === "stays") return undefined;
  if (fate.fate === "restored") return signedBy(replaceBy(fate.signature));
  if (isObject(fields.functionCall)) {
    if (fate.signed) dropped.add(foreignSignature);
    return signedBy(replaceBy(unsigned));
  }
  if (saysSomething(fields)) {
    dropped.add(foreignSignature);
    return signedBy(takeOut);
  }
  dropped.add(foreignReasoning);
  return takeOut;
}

function signedBy(edit: Edit): Edit {
  return (part) => editMembers(part, { thoughtSignature: edit, thought_signature: edit });
}

/** A part that is more than a thought or the carrier of a signature. */
function saysSomething({ thought, text, thoughtSignature: _, ...others }: Fields): boolean {
  return thought !== true && ((typeof text === "string" && text !== "") || Object.keys(others).length > 0);
}
