/** Tagged signatures in a body that is passed through to a provider of this protocol (crossings.md, "Signatures"). */

import {
  type Edit,
  editItems,
  editList,
  editMembers,
  replaceBy,
  takeOut,
} from "../../../../base/json/edit.ts";
import { asText, entryOf, type Fields, isObject, objectsOf } from "../../../../base/json/fields.ts";
import { fateOf, foreignReasoning, foreignSignature, mayHoldTag } from "../../../chat/signature.ts";
import type { Untagged } from "../../protocol.ts";
import { decodeToolId } from "../crossing/tool-calls.ts";

/** Restores the signatures of the model of `origin`, and takes out the thinking of others. */
export function untag(bytes: Buffer, origin: string): Untagged {
  const dropped = new Set<string>();
  const block: Edit = (given) => (mayHoldTag(given) ? editBlock(given, origin, dropped) : given);
  // Anthropic refuses a message without content.
  const message: Edit = (given) => (mayHoldTag(given) ? editList(given, "content", block) : given);
  const edited = editMembers(bytes, { messages: (messages) => editItems(messages, message) });
  if (dropped.size === 0) return { bytes: edited, dropped: [] };
  return withoutThinking(edited, dropped);
}

/** Where each kind of block keeps its signature. */
const signedAt: Readonly<Record<string, string>> = { thinking: "signature", redacted_thinking: "data" };

/** Where each kind of block keeps the id of a call, with which a signature may ride. */
const idAt: Readonly<Record<string, string>> = { tool_use: "id", tool_result: "tool_use_id" };

function editBlock(block: Buffer, origin: string, dropped: Set<string>): Buffer | undefined {
  const fields = JSON.parse(block.toString()) as Fields;
  const type = isObject(fields) ? asText(fields.type) : "";
  const place = entryOf(signedAt, type);
  if (place !== undefined) {
    const fate = fateOf(fields[place], origin);
    if (fate.fate === "stays") return block;
    if (fate.fate === "restored") return editMembers(block, { [place]: replaceBy(fate.signature) });
    // Anthropic takes no thinking that it has not signed.
    dropped.add(foreignReasoning);
    return undefined;
  }
  const name = entryOf(idAt, type);
  if (name === undefined || typeof fields[name] !== "string") return block;
  const { id, signature } = decodeToolId(fields[name]);
  const fate = fateOf(signature, origin);
  if (fate.fate === "stays") return block;
  if (type === "tool_use" && fate.fate === "goes") dropped.add(foreignSignature);
  return editMembers(block, { [name]: replaceBy(id) });
}

/** Takes `thinking` out where another model made the calls whose results come: a budget would be refused. */
function withoutThinking(bytes: Buffer, dropped: Set<string>): Untagged {
  const body = JSON.parse(bytes.toString()) as Fields;
  const { thinking, messages, context_management } = body;
  const budgeted = isObject(thinking) && thinking.type === "enabled";
  if (!budgeted || context_management || !isUnthoughtLoop(messages)) return { bytes, dropped: [...dropped] };
  return { bytes: editMembers(bytes, { thinking: takeOut }), dropped: [...dropped, "thinking"] };
}

/** How the blocks of a protocol say what they are. */
interface BlockKinds {
  isResult(block: Fields): boolean;
  isThinking(block: Fields): boolean;
}

const ownKinds: BlockKinds = {
  isResult: ({ type }) => type === "tool_result",
  isThinking: ({ type }) => entryOf(signedAt, type) !== undefined,
};

/** The turn under way has called tools without thinking before them, which could be sent back. */
export function isUnthoughtLoop(messages: unknown, { isResult, isThinking } = ownKinds): boolean {
  const turns = objectsOf(messages);
  const hasResults = objectsOf(turns.at(-1)?.content).some(isResult);
  const [first] = objectsOf(turns.findLast(({ role }) => role === "assistant")?.content);
  return hasResults && !(first && isThinking(first));
}
