/** What only a provider of the Responses protocol can do with a request. */

import { type Fields, isObject } from "../../../../base/json/fields.ts";
import type { NativeTool } from "../../../chat/request.ts";
import type { PortableBody } from "../../native-tools.ts";
import { withoutNativeTools } from "../../openai-tools.ts";
import { gatherTools } from "../given-tools.ts";
import { isPortable } from "./own-tools.ts";

/** Types of tools that the client runs. */
const clientTools = /^(?:namespace|(?:local_)?shell|apply_patch|computer\w*)$/;

/** Items that hosted tools leave in a conversation. */
const hostedItems =
  /^(?:web_search|file_search|code_interpreter|image_generation|mcp|tool_search)_(?:call|output)$|^mcp_(?:list_tools|approval_\w+)$/;

/** Items of client tools. Without them the model would not know what was done. */
const clientItems = /^(?:computer|local_shell|shell|apply_patch)_call(?:_output)?$/;

/** The request with its tools in one list, without native tools and what they left in its input. */
export function portable(all: Fields): PortableBody {
  const { body, places } = gatherTools(all);
  const given = withoutNativeTools(body, (type) => !clientTools.test(type), isPortable, places);
  const { input } = body;
  if (!Array.isArray(input)) return { ...given, dropped: [] };
  const items: NativeTool[] = [];
  const dropped = new Set<string>();
  const left = input.filter((item: unknown, index) => {
    const type = isObject(item) ? item.type : undefined;
    if (typeof type !== "string") return true;
    if (clientItems.test(type)) items.push({ name: type, at: `input[${index}]`, hosted: false });
    else if (hostedItems.test(type)) dropped.add(`input.${type}`);
    else return true;
    return false;
  });
  return {
    body: left.length === input.length ? given.body : { ...given.body, input: left },
    native: [...given.native, ...items],
    dropped: [...dropped],
  };
}
