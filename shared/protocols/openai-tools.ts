/** Tools that OpenAI's two chat protocols have and others do not: how a request is read without them. */
import type { NativeTool } from "../chat/request.ts";
import { type Fields, isObject } from "../json/fields.ts";
import { without, withoutMembers } from "./native-tools.ts";

/** A request's tools and choice without the native tools, of which `isHosted` tells the hosted ones by their type. */
export function withoutNativeTools(
  body: Fields,
  isHosted: (type: string) => boolean,
): { body: Fields; native: NativeTool[] } {
  const { tools } = body;
  if (!Array.isArray(tools)) return { body, native: [] };
  const native: NativeTool[] = [];
  const left = without(tools, ({ type }, index) => {
    if (typeof type !== "string" || type === "function") return false;
    native.push({ name: type, at: `tools[${index}]`, hosted: isHosted(type) });
    return true;
  });
  if (native.length === 0) return { body, native };
  if (left.length === 0) {
    return { body: withoutMembers(body, ["tools", "tool_choice", "parallel_tool_calls"]), native };
  }
  return { body: { ...withChoice(body), tools: left }, native };
}

/** A choice of a native tool goes with it. Among allowed tools the functions stay; where there are none, none is allowed. */
function withChoice(body: Fields): Fields {
  const choice = body["tool_choice"];
  if (!isObject(choice) || choice["type"] === "function") return body;
  if (choice["type"] !== "allowed_tools") return withoutMembers(body, ["tool_choice"]);
  // Chat completions put an object of the choice's name around it.
  const nested = choice["allowed_tools"];
  const allowed = isObject(nested) ? nested : choice;
  if (!Array.isArray(allowed["tools"])) return body;
  const tools = without(allowed["tools"], ({ type }) => typeof type === "string" && type !== "function");
  if (tools.length === 0) return { ...body, tool_choice: "none" };
  const kept = { ...allowed, tools };
  return { ...body, tool_choice: allowed === choice ? kept : { ...choice, allowed_tools: kept } };
}
