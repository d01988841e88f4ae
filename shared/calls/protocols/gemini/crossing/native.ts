/** What only Google can do with a Gemini request. Members have their names in camel case. */

import { type Fields, isAbsent, isObject } from "../../../../base/json/fields.ts";
import type { NativeTool } from "../../../chat/request.ts";
import { type PortableBody, withoutMembers, withoutParts } from "../../native-tools.ts";
import { camelKeys } from "../names.ts";

/** Parts that hosted tools leave in an answer. */
const hostedParts = ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"];

/** The request without native tools and the parts they left in its contents. */
export function portable(body: Fields): PortableBody {
  const native: NativeTool[] = [];
  const tools = withoutTools(body.tools, native);
  const dropped = new Set<string>();
  const contents = withoutParts(body.contents, { role: "model", list: "parts" }, partName, dropped);
  let left = native.length > 0 ? { ...body, tools } : body;
  // Without a function there is nothing to choose among.
  if (native.length > 0 && tools.length === 0) left = withoutMembers(left, ["tools", "toolConfig"]);
  if (dropped.size > 0) left = { ...left, contents };
  return { body: left, native, dropped: [...dropped] };
}

/** The tools that declare functions, with nothing else. */
function withoutTools(value: unknown, native: NativeTool[]): unknown[] {
  const tools: unknown[] = Array.isArray(value) ? value : [];
  return tools.flatMap((tool, index) => {
    if (!isObject(tool)) return [tool];
    const { functionDeclarations, ...others } = camelKeys(tool);
    const names = Object.keys(others).filter((name) => !isAbsent(others[name]));
    if (names.length === 0) return [tool];
    const at = `tools[${index}]`;
    native.push(...names.map((name) => ({ name, at, hosted: name !== "computerUse" })));
    return isAbsent(functionDeclarations) ? [] : [{ functionDeclarations }];
  });
}

function partName(part: Fields): string | undefined {
  const fields = camelKeys(part);
  const name = hostedParts.find((member) => !isAbsent(fields[member]));
  return name && `contents.parts.${name}`;
}
