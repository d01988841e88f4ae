/** What a Converse request switches on (protocols.md §8.1). What an answer says of it is read with the answer (`reply.ts`). */
import type { Fields } from "../../../base/json/fields.ts";
import type { Switch } from "../../../books/billing/pricing/rates.ts";
import { objectAt, objectsAt, someObject, tokenKindSwitches, toolSwitch, waySwitch } from "../switches.ts";

/** Throws `invalid_request` where a switch is no text. */
export function readSwitches(fields: Fields): Switch[] {
  const { messages, system, toolConfig } = fields;
  const anHour = someObject(
    [messages, system, toolConfig],
    (part) => objectAt(part, "cachePoint").ttl === "1h",
  );
  return [
    ...ways(fields, "service_tier", "serviceTier", "type"),
    ...ways(fields, "speed", "performanceConfig", "latency"),
    ...tokenKindSwitches([anHour, "cachePoint.ttl", "cache_write_1h"]),
    // Amazon's own models run these themselves.
    ...objectsAt(objectAt(fields, "toolConfig"), "tools").flatMap(({ at, item }) => {
      const { name } = objectAt(item, "systemTool");
      return typeof name === "string" ? [toolSwitch(`toolConfig.${at}.systemTool`, name)] : [];
    }),
  ];
}

/** A way to serve the call, under the name of the field around it. */
function ways(fields: Fields, way: "service_tier" | "speed", field: string, member: string): Switch[] {
  return waySwitch(objectAt(fields, field), way, member).map((each) => ({ ...each, field }));
}
