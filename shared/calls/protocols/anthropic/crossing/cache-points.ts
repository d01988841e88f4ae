/** Where Anthropic keeps a conversation's beginning for its next turn (crossings.md "Cache points"). */
import { type Fields, objectsOf } from "../../../../base/json/fields.ts";

const point = { cache_control: { type: "ephemeral" } };

/** Anthropic takes so many in a request. */
const pointsMax = 4;

/** A block or tool, with a point if the client has marked it. */
export function marked(block: Fields, isMarked: boolean | undefined): Fields {
  return isMarked ? { ...block, ...point } : block;
}

/** The body with its cache points: those of the client, or else those that the gateway places where it shall. */
export function withCachePoints(body: Fields, places: boolean | undefined): Fields {
  const own = pointsIn(body);
  if (own > 0) return own > pointsMax ? withLastPoints(body, own - pointsMax) : body;
  return places ? placed(body) : body;
}

/** Everything of a body that may have a point, in Anthropic's order: the earlier is part of the later. */
function blocksOf({ tools, system, messages }: Fields): Fields[] {
  const turns = objectsOf(messages);
  return [...objectsOf(tools), ...objectsOf(system), ...turns.flatMap(({ content }) => objectsOf(content))];
}

function pointsIn(body: Fields): number {
  return blocksOf(body).filter((block) => Object.hasOwn(block, "cache_control")).length;
}

/** The body without its first points. */
function withLastPoints(body: Fields, excess: number): Fields {
  const gone = new Set(
    blocksOf(body)
      .filter((block) => Object.hasOwn(block, "cache_control"))
      .slice(0, excess),
  );
  return mapBlocks(body, (block) => {
    if (!gone.has(block)) return block;
    const { cache_control: _, ...rest } = block;
    return rest;
  });
}

/** The body with points behind tools, instructions and the user's last two turns. The older one was written before. */
function placed(body: Fields): Fields {
  const turns = objectsOf(body.messages)
    .filter(({ role }) => role === "user")
    .slice(-2);
  const lists = [body.tools, body.system, ...turns.map(({ content }) => content)];
  const last = new Set(lists.flatMap((list) => objectsOf(list).slice(-1)));
  return mapBlocks(body, (block) => marked(block, last.has(block)));
}

function mapBlocks(body: Fields, change: (block: Fields) => Fields): Fields {
  const mapped = (list: unknown) => objectsOf(list).map(change);
  const { tools, system, messages } = body;
  return {
    ...body,
    ...(Array.isArray(tools) && { tools: mapped(tools) }),
    ...(Array.isArray(system) && { system: mapped(system) }),
    messages: objectsOf(messages).map((turn) => ({ ...turn, content: mapped(turn.content) })),
  };
}
