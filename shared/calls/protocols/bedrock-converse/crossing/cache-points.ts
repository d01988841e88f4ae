/** Where models on Bedrock keep a conversation's beginning for its next turn (crossings.md "Cache points"). */
import type { Fields } from "../../../../base/json/fields.ts";
import type { CachePlace } from "../../../../books/catalog/traits.ts";
import type { ConverseBody } from "./body.ts";

const point: Fields = { cachePoint: { type: "default" } };

/** A request takes so many. */
const pointsMax = 4;

/** A block, with a point behind it if the client has marked it. */
export function marked(block: Fields, isMarked: boolean | undefined): Fields[] {
  return isMarked ? [block, point] : [block];
}

/** The body with points where the model takes them: the client's, or else the gateway's where it shall place some. */
export function withCachePoints(
  body: ConverseBody,
  shallPlace: boolean | undefined,
  takes: readonly CachePlace[],
): ConverseBody {
  let own = 0;
  const allowed = mapLists(body, (blocks, place) => {
    const kept = blocks.filter(
      (block, at) => !isPoint(block) || (takes.includes(place) && mayFollow(blocks[at - 1])),
    );
    own += kept.filter(isPoint).length;
    return kept;
  });
  if (own === 0) return shallPlace ? placed(allowed, takes) : allowed;
  // Only the last ones count.
  return mapLists(allowed, (blocks) => blocks.filter((block) => !isPoint(block) || own-- <= pointsMax));
}

const isPoint = (block: Fields): boolean => Object.hasOwn(block, "cachePoint");

/** Behind a document of text Bedrock finds no block that it could keep (pizza-bot-app/pizza-bot#6). */
const mayFollow = (block: Fields | undefined): boolean =>
  block !== undefined && !isPoint(block) && !Object.hasOwn(block, "document");

/** A change of each list that may have points, in the order in which the earlier is part of the later. */
function mapLists(
  body: ConverseBody,
  change: (blocks: Fields[], place: CachePlace) => Fields[],
): ConverseBody {
  const { toolConfig, system, messages } = body;
  return {
    ...body,
    ...(toolConfig && { toolConfig: { ...toolConfig, tools: change(toolConfig.tools, "tools") } }),
    ...(system && { system: change(system, "system") }),
    messages: messages.map((turn) => ({ ...turn, content: change(turn.content, "messages") })),
  };
}

/** The body with points behind tools, instructions and the user's last two turns. The older one was written before. */
function placed(body: ConverseBody, takes: readonly CachePlace[]): ConverseBody {
  const last = body.messages
    .filter(({ role }) => role === "user")
    .slice(-2)
    .map(({ content }) => content);
  return mapLists(body, (blocks, place) => {
    if (!takes.includes(place) || !mayFollow(blocks.at(-1))) return blocks;
    return place !== "messages" || last.includes(blocks) ? [...blocks, point] : blocks;
  });
}
