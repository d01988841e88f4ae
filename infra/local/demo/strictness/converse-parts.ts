/** The parts of a Converse request, as the rules against one read them. */
import { isObject, type Json, listOf, textOf } from "./rule.ts";

export const blocksOf = ({ content }: Json) => listOf(content);
export const turnsOf = (body: Json) => listOf(body.messages);
export const toolsOf = (body: Json) => (isObject(body.toolConfig) ? listOf(body.toolConfig.tools) : []);
export const specsOf = (body: Json) =>
  toolsOf(body).flatMap(({ toolSpec }) => (isObject(toolSpec) ? [toolSpec] : []));

interface Placed {
  kind: string;
  value: unknown;
  /** `messages.1.content.0`. */
  path: string;
  turn: number;
}

/** Every block of every turn, by its one member. */
export function placed(body: Json): Placed[] {
  return turnsOf(body).flatMap((message, turn) =>
    blocksOf(message).flatMap((block, index) =>
      Object.entries(block).map(([kind, value]) => ({
        kind,
        value,
        path: `messages.${turn}.content.${index}`,
        turn,
      })),
    ),
  );
}

export const idsOf = (body: Json, turn: number, kind: string) =>
  placed(body).flatMap((each) =>
    each.turn === turn && each.kind === kind && isObject(each.value) ? [textOf(each.value.toolUseId)] : [],
  );

/** Blocks of media, also of those inside of a result. */
export function mediaOf(body: Json, kind: string): Json[] {
  const inResults = placed(body).flatMap(({ kind: own, value }) =>
    own === "toolResult" && isObject(value) ? listOf(value.content) : [],
  );
  return [...turnsOf(body).flatMap(blocksOf), ...inResults].flatMap((block) =>
    isObject(block[kind]) ? [block[kind]] : [],
  );
}

export const constraint = (at: string, must: string) =>
  `1 validation error detected: Value at '${at}' failed to satisfy constraint: ${must}`;
