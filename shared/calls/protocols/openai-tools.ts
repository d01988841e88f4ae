/** What OpenAI's two chat protocols share: taking native tools out of a request, and the signature of a call. */

import { type Edit, editMembers, replaceBy, takeOut } from "../../base/json/edit.ts";
import { type Fields, isObject } from "../../base/json/fields.ts";
import type { NativeTool } from "../chat/request.ts";
import { foreignSignature, type SignatureFate } from "../chat/signature.ts";
import { without, withoutMembers } from "./native-tools.ts";

/** The request without its native tools or a choice of one. `places`: where tools stood, if not in this list. */
export function withoutNativeTools(
  body: Fields,
  isHosted: (type: string) => boolean,
  isPortable: (tool: Fields) => boolean,
  places: readonly string[] = [],
): { body: Fields; native: NativeTool[] } {
  const { tools } = body;
  if (!Array.isArray(tools)) return { body, native: [] };
  const native: NativeTool[] = [];
  const left = without(tools, (tool, index) => {
    const { type } = tool;
    if (typeof type !== "string" || isPortable(tool)) return false;
    native.push({ name: type, at: places[index] ?? `tools[${index}]`, hosted: isHosted(type) });
    return true;
  });
  if (native.length === 0) return { body, native };
  if (left.length === 0) {
    return { body: withoutMembers(body, ["tools", "tool_choice", "parallel_tool_calls"]), native };
  }
  return { body: { ...withChoice(body, isPortable), tools: left }, native };
}

/** Takes out a choice of a native tool. Of allowed tools those that cross stay; without any, no tool may be called. */
function withChoice(body: Fields, isPortable: (tool: Fields) => boolean): Fields {
  const choice = body.tool_choice;
  if (!isObject(choice) || isPortable(choice)) return body;
  if (choice.type !== "allowed_tools") return withoutMembers(body, ["tool_choice"]);
  // Chat completions wrap it in an object with the name of the choice.
  const nested = choice.allowed_tools;
  const allowed = isObject(nested) ? nested : choice;
  if (!Array.isArray(allowed.tools)) return body;
  const tools = without(allowed.tools, (tool) => typeof tool.type === "string" && !isPortable(tool));
  if (tools.length === 0) return { ...body, tool_choice: "none" };
  const kept = { ...allowed, tools };
  return { ...body, tool_choice: allowed === choice ? kept : { ...choice, allowed_tools: kept } };
}

/** Gemini's signature of a call. OpenAI has no field for it, so it stands where Google's own OpenAI form has it. */
export function googleSignature({ extra_content: extra }: Fields): unknown {
  return isObject(extra) && isObject(extra.google) ? extra.google.thought_signature : undefined;
}

/** The members of a call that hold its signature. Without one there are none. */
export function signedMembers(signature: string | undefined): Fields {
  return signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
}

/** Edits a call, as JSON, by the fate of its signature. Another model's goes with the members around it. */
export function editSignedCall(call: Buffer, fate: SignatureFate, dropped: Set<string>): Buffer {
  if (fate.fate === "stays") return call;
  if (fate.fate === "goes") {
    if (fate.signed) dropped.add(foreignSignature);
    return editMembers(call, { extra_content: takeOut });
  }
  const google: Edit = (given) => editMembers(given, { thought_signature: replaceBy(fate.signature) });
  return editMembers(call, { extra_content: (given) => editMembers(given, { google }) });
}
