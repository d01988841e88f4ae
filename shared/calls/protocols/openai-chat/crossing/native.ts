/** What only a provider of OpenAI's chat protocol can do with a request. */

import { type Fields, isObject } from "../../../../base/json/fields.ts";
import type { NativeTool } from "../../../chat/request.ts";
import { type PortableBody, without, withoutSwitches } from "../../native-tools.ts";
import { withoutNativeTools } from "../../openai-tools.ts";
import { fields } from "../fields.ts";
import { isPortable } from "./tools.ts";

/** The request without native tools, `web_search_options`, and calls of such tools in the conversation. */
export function portable(body: Fields): PortableBody {
  const search = withoutSwitches(body, fields.hosted);
  // Vendors run the tools that only they have.
  const given = withoutNativeTools(search.body, () => true, isPortable);
  const calls: NativeTool[] = [];
  const messages = withoutCalls(body.messages, calls);
  return {
    body: calls.length > 0 ? { ...given.body, messages } : given.body,
    native: [...search.native, ...given.native, ...calls],
    dropped: [],
  };
}

/** The messages without calls of native tools, and without the results of those calls. */
function withoutCalls(messages: unknown, native: NativeTool[]): unknown {
  if (!Array.isArray(messages)) return messages;
  const ids = new Set<unknown>();
  const answered = messages.map((message: unknown, index) => {
    const calls = isObject(message) ? message.tool_calls : undefined;
    if (!isObject(message) || !Array.isArray(calls)) return message;
    const left = without(calls, (call, at) => {
      const { type, id } = call;
      if (typeof type !== "string" || isPortable(call)) return false;
      native.push({ name: type, at: `messages[${index}].tool_calls[${at}]`, hosted: false });
      ids.add(id);
      return true;
    });
    return left === calls ? message : { ...message, tool_calls: left };
  });
  return without(answered, ({ role, tool_call_id }) => role === "tool" && ids.has(tool_call_id));
}
