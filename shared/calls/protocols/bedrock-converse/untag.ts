/** Tagged signatures in a body that is passed through to a provider of Converse (crossings.md, "Signatures"). */
import { type Edit, editItems, editList, editMembers, replaceBy, takeOut } from "../../../base/json/edit.ts";
import { type Fields, isObject } from "../../../base/json/fields.ts";
import { fateOf, foreignReasoning, foreignSignature, mayHoldTag } from "../../chat/signature.ts";
import { decodeToolId } from "../anthropic/crossing/tool-calls.ts";
import { isUnthoughtLoop } from "../anthropic/pass-through/untag.ts";
import type { Untagged } from "../protocol.ts";
import { objectAt } from "../switches.ts";

/** Restores the signatures of the model of `origin`, and takes out the reasoning of others. */
export function untag(bytes: Buffer, origin: string): Untagged {
  const dropped = new Set<string>();
  const block: Edit = (given) => (mayHoldTag(given) ? editBlock(given, origin, dropped) : given);
  // Converse refuses a message without content.
  const message: Edit = (given) => (mayHoldTag(given) ? editList(given, "content", block) : given);
  const edited = editMembers(bytes, { messages: (messages) => editItems(messages, message) });
  return dropped.size === 0 ? { bytes: edited, dropped: [] } : withoutThinking(edited, dropped);
}

function editBlock(block: Buffer, origin: string, dropped: Set<string>): Buffer | undefined {
  const fields = JSON.parse(block.toString()) as Fields;
  const { toolUse, toolResult, reasoningContent } = isObject(fields) ? fields : ({} as Fields);
  if (isObject(reasoningContent)) return editReasoning(block, reasoningContent, origin, dropped);
  const call = isObject(toolUse) ? toolUse : toolResult;
  if (!isObject(call) || typeof call.toolUseId !== "string") return block;
  const { id, signature } = decodeToolId(call.toolUseId);
  const fate = fateOf(signature, origin);
  if (fate.fate === "stays") return block;
  if (call === toolUse && fate.fate === "goes") dropped.add(foreignSignature);
  const renamed: Edit = (member) => editMembers(member, { toolUseId: replaceBy(id) });
  return editMembers(block, { [call === toolUse ? "toolUse" : "toolResult"]: renamed });
}

function editReasoning(
  block: Buffer,
  { reasoningText, redactedContent }: Fields,
  origin: string,
  dropped: Set<string>,
): Buffer | undefined {
  const signed = isObject(reasoningText) ? reasoningText.signature : redactedContent;
  const fate = fateOf(signed, origin);
  if (fate.fate === "stays") return block;
  if (fate.fate === "goes") {
    // Converse takes no reasoning that its model has not signed.
    dropped.add(foreignReasoning);
    return undefined;
  }
  const own = replaceBy(fate.signature);
  const restored: Edit = isObject(reasoningText)
    ? (content) => editMembers(content, { reasoningText: (text) => editMembers(text, { signature: own }) })
    : (content) => editMembers(content, { redactedContent: own });
  return editMembers(block, { reasoningContent: restored });
}

const own = "additionalModelRequestFields";

const kinds = {
  isResult: ({ toolResult }: Fields) => isObject(toolResult),
  isThinking: ({ reasoningContent }: Fields) => isObject(reasoningContent),
};

/** Takes Claude's `thinking` out where another model made the calls whose results come: a budget would be refused. */
function withoutThinking(bytes: Buffer, dropped: Set<string>): Untagged {
  const body = JSON.parse(bytes.toString()) as Fields;
  const { thinking } = objectAt(body, own);
  const isBudgeted = isObject(thinking) && thinking.type === "enabled";
  if (!isBudgeted || !isUnthoughtLoop(body.messages, kinds)) return { bytes, dropped: [...dropped] };
  const edited = editMembers(bytes, { [own]: (fields) => editMembers(fields, { thinking: takeOut }) });
  return { bytes: edited, dropped: [...dropped, `${own}.thinking`] };
}
