/** JSON Schema without the keywords that a model refuses. */
import { isObject } from "../../../base/json/fields.ts";
import { mapItems } from "../../../base/json/map-items.ts";
import { mapSchemas } from "../../../base/json/schema.ts";
import { withoutMembers } from "../native-tools.ts";
import type { Draft } from "./draft.ts";

/** The schema without these keywords, the same object where it has none of them. What was found is added to `found`. */
function withoutKeywords(schema: unknown, refused: readonly string[], found: Set<string>): unknown {
  return mapSchemas(schema, (each) => {
    const given = refused.filter((key) => Object.hasOwn(each, key));
    for (const key of given) found.add(key);
    return given.length > 0 ? withoutMembers(each, given) : each;
  });
}

/** Takes refused keywords out of the schema at a path, each named behind the path. */
export function fitSchema(draft: Draft, path: string, refused: readonly string[] | undefined): void {
  const schema = draft.at(path);
  if (!isObject(schema) || !refused?.length) return;
  const found = new Set<string>();
  draft.set(path, withoutKeywords(schema, refused, found));
  for (const keyword of found) draft.name(`${path}.${keyword}`, `format.schema.${keyword}`);
}

/** The same for the schemas of tools: only those of strict tools are held to what the model takes. */
export function fitStrictTools(draft: Draft, at: string[], refused: readonly string[] | undefined): void {
  const tools = draft.at("tools");
  if (!Array.isArray(tools) || !refused?.length) return;
  const found = new Set<string>();
  const [member = "", inner] = at;
  const fitTool = (tool: unknown): unknown => {
    const holder = isObject(tool) && inner !== undefined ? tool[member] : tool;
    if (!isObject(tool) || !isObject(holder) || holder.strict !== true) return tool;
    const name = inner ?? member;
    const schema = withoutKeywords(holder[name], refused, found);
    if (schema === holder[name]) return tool;
    const fitted = { ...holder, [name]: schema };
    return inner === undefined ? fitted : { ...tool, [member]: fitted };
  };
  draft.set("tools", mapItems(tools, fitTool));
  for (const keyword of found) draft.name(`tools.${at.join(".")}.${keyword}`, `tools.parameters.${keyword}`);
}
