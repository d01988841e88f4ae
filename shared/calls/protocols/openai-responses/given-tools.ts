/** Where a Responses request has tools: in `tools`, and in items of its input that add more, as Codex sends them. */
import { type Fields, isObject } from "../../../base/json/fields.ts";
import { objectsAt } from "../switches.ts";

/** A tool with its place, such as `tools[0]` or `input[2].tools[0]`. */
interface GivenTool {
  at: string;
  item: Fields;
}

function toolsOfItems(body: Fields, has: (item: Fields) => boolean): GivenTool[] {
  return objectsAt(body, "input").flatMap(({ at, item }) =>
    has(item) ? objectsAt(item, "tools").map((tool) => ({ item: tool.item, at: `${at}.${tool.at}` })) : [],
  );
}

/** All tools that the model may call, in the order of the list and then of the items. */
export function givenTools(body: Fields): GivenTool[] {
  return [...objectsAt(body, "tools"), ...toolsOfItems(body, () => true)];
}

const addsTools = (item: unknown) => isObject(item) && item.type === "additional_tools";

/** A body with all of its tools in the one list, because no other protocol adds tools in the conversation. */
interface Gathered {
  body: Fields;
  /** Where each tool of the list stood. Empty where no item adds any. */
  places: string[];
}

/** Gathers the tools. A body whose items add none stays as it is. */
export function gatherTools(body: Fields): Gathered {
  const { input, tools } = body;
  if (!Array.isArray(input) || !input.some(addsTools)) return { body, places: [] };
  const own: unknown[] = Array.isArray(tools) ? tools : [];
  const added = toolsOfItems(body, addsTools);
  return {
    body: {
      ...body,
      input: input.filter((item) => !addsTools(item)),
      tools: [...own, ...added.map(({ item }) => item)],
    },
    places: [...own.map((_, index) => `tools[${index}]`), ...added.map(({ at }) => at)],
  };
}
