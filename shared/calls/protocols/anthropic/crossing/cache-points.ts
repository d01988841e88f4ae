/** Where Anthropic keeps a conversation's beginning for its next turn (crossings.md "Cache points"). */
import type { Fields } from "../../../../base/json/fields.ts";

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
  const turns = listOf(messages);
  return [...listOf(tools), ...listOf(system), ...turns.flatMap(({ content }) => listOf(content))];
}

/** A list of the encoded body, whose members are all objects. */
function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value : [];
}

const hasPoint = (block: Fields) => Object.hasOwn(block, "cache_control");

function pointsIn(body: Fields): number {
  let points = 0;
  for (const block of blocksOf(body)) if (hasPoint(block)) points += 1;
  return points;
}

/** The body without its first points. */
function withLastPoints(body: Fields, excess: number): Fields {
  const gone = new Set(blocksOf(body).filter(hasPoint).slice(0, excess));
  return mapBlocks(body, (block) => {
    if (!gone.has(block)) return block;
    const { cache_control: _, ...rest } = block;
    return rest;
  });
}

/** The body with points behind tools, instructions and the user's last two turns. The older one was written before. */
function placed(body: Fields): Fields {
  const { tools, system } = body;
  const turns = [...listOf(body.messages)];
  let left = 2;
  for (let at = turns.length - 1; at >= 0 && left > 0; at--) {
    const turn = turns[at];
    if (turn?.role !== "user") continue;
    turns[at] = { ...turn, content: markedLast(turn.content) };
    left -= 1;
  }
  return {
    ...body,
    ...(Array.isArray(tools) && { tools: markedLast(tools) }),
    ...(Array.isArray(system) && { system: markedLast(system) }),
    messages: turns,
  };
}

/** The list with a point on its last block. */
function markedLast(list: unknown): Fields[] {
  const blocks = listOf(list);
  const last = blocks.at(-1);
  return last ? [...blocks.slice(0, -1), marked(last, true)] : blocks;
}

function mapBlocks(body: Fields, change: (block: Fields) => Fields): Fields {
  const mapped = (list: unknown) => listOf(list).map(change);
  const { tools, system, messages } = body;
  return {
    ...body,
    ...(Array.isArray(tools) && { tools: mapped(tools) }),
    ...(Array.isArray(system) && { system: mapped(system) }),
    messages: listOf(messages).map((turn) => ({ ...turn, content: mapped(turn.content) })),
  };
}
