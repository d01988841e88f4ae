/** What only a provider of Anthropic's protocol can do with a request. */

import { type Fields, isObject } from "../../../../base/json/fields.ts";
import type { NativeTool } from "../../../chat/request.ts";
import {
  type PortableBody,
  without,
  withoutMembers,
  withoutParts,
  withoutSwitches,
} from "../../native-tools.ts";
import { fields } from "../fields.ts";

/** Types of tools that the client runs, with their version. */
const clientTools = /^(?:bash|text_editor|computer|memory|computer_toolset|browser_toolset)(?:_\d+)?$/;

/** Blocks that hosted tools leave in an answer: their calls and results. A client's own have other names. */
const hostedBlock = /^(?:server|mcp)_tool_use$|^\w+_tool_result$/;

/** The request without native tools and the blocks they left in its messages. */
export function portable(body: Fields): PortableBody {
  const given = withoutSwitches(body, fields.hosted);
  const tools = withoutTools(given.body);
  const dropped = new Set<string>();
  const messages = withoutParts(body.messages, { role: "assistant", list: "content" }, blockName, dropped);
  return {
    body: dropped.size > 0 ? { ...tools.body, messages } : tools.body,
    native: [...given.native, ...tools.native],
    dropped: [...dropped],
  };
}

function withoutTools(body: Fields): Pick<PortableBody, "body" | "native"> {
  const { tools, tool_choice: choice } = body;
  if (!Array.isArray(tools)) return { body, native: [] };
  const native: NativeTool[] = [];
  const names = new Set<unknown>();
  const left = without(tools, ({ type, name }, index) => {
    if (typeof type !== "string" || type === "custom") return false;
    native.push({ name: type, at: `tools[${index}]`, hosted: !clientTools.test(type) });
    names.add(name);
    return true;
  });
  if (native.length === 0) return { body, native };
  if (left.length === 0) return { body: withoutMembers(body, ["tools", "tool_choice"]), native };
  const isLeft = !isObject(choice) || choice.type !== "tool" || !names.has(choice.name);
  if (isLeft) return { body: { ...body, tools: left }, native };
  // The rest of the choice holds for the tools that are left.
  const { name: _, ...others } = choice;
  return { body: { ...body, tools: left, tool_choice: { ...others, type: "auto" } }, native };
}

function blockName({ type }: Fields): string | undefined {
  return typeof type === "string" && hostedBlock.test(type) ? `messages.content.${type}` : undefined;
}
