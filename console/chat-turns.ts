/** The turns of a conversation, and the call that goes on with them. */
import type { Problem } from "./problem.ts";

/** What a person asked in one turn. */
export interface ChatQuestion {
  text: string;
  /** Addresses of pictures that hold them whole (`data:`). */
  pictures: readonly string[];
}

/** A model that is asked. */
export interface TurnModel {
  id: string;
  /** What the page calls it. No other model has the same name. */
  name: string;
  /** Whether it takes pictures. */
  isSeeing: boolean;
}

/** What came of a turn at one model. */
export interface TurnAnswer {
  /** The model that was asked. */
  model: TurnModel;
  /** `waiting` until the first token. */
  stage: "waiting" | "writing" | "done" | "stopped" | "failed";
  text: string;
  reasoning: string;
  /** The gateway's `x-request-id`, as soon as it answers. */
  request?: string;
  /** Milliseconds from the call. */
  firstMs?: number;
  allMs?: number;
  problem?: Problem;
}

export interface ChatTurn {
  asked: ChatQuestion;
  answer: TurnAnswer;
}

/** What each model is called: its name, with the id where another one has the same name. The order is that of `models`. */
export function namesOf(models: readonly { id: string; display_name: string }[]): string[] {
  const plain = models.map(({ id, display_name }) => display_name || id);
  return models.map(({ id }, at) => {
    const name = plain[at] ?? id;
    return plain.some((other, place) => place !== at && other === name) ? `${name} (${id})` : name;
  });
}

/** The turns in which the model was asked without a break up to the last question. Takes all questions, oldest first. */
export function latestTurns(
  asks: readonly ChatQuestion[],
  turns: readonly ChatTurn[],
  { id }: TurnModel,
): ChatTurn[] {
  const own = asks.map((asked) => turns.find((turn) => turn.asked === asked && turn.answer.model.id === id));
  return own.slice(own.lastIndexOf(undefined) + 1).filter((turn) => turn !== undefined);
}

/**
 * The messages of a call that asks after these turns. A turn without an answer is left out: models refuse two questions
 * in a row.
 */
function messagesOf(
  system: string,
  turns: readonly ChatTurn[],
  asked: ChatQuestion,
  isSeeing: boolean,
): object[] {
  const questionOf = (each: ChatQuestion) => questionFor(each, isSeeing);
  const before = turns
    .filter(({ answer }) => answer.text !== "")
    .flatMap((turn) => [questionOf(turn.asked), { role: "assistant", content: turn.answer.text }]);
  const told = system.trim() === "" ? [] : [{ role: "system", content: system }];
  return [...told, ...before, questionOf(asked)];
}

function questionFor({ text, pictures }: ChatQuestion, isSeeing: boolean): object {
  if (!isSeeing || pictures.length === 0) return { role: "user", content: text };
  const parts = pictures.map((url) => ({ type: "image_url", image_url: { url } }));
  return { role: "user", content: [...parts, { type: "text", text }] };
}

/** Whether it is a temperature, or nothing. */
export const isTemperature = (text: string) =>
  text.trim() === "" || (/^\d(?:\.\d+)?$/.test(text.trim()) && Number(text) <= 2);

/** Whether it is a number of tokens that a model may write, or nothing. */
export const isMost = (text: string, models: readonly { output_tokens: number }[]) =>
  text.trim() === "" ||
  (/^[1-9]\d{0,8}$/.test(text.trim()) && models.every(({ output_tokens }) => Number(text) <= output_tokens));

/** The body of a call of a model that asks after these turns. */
export function bodyOf(
  { temperature, most, system }: { temperature: string; most: string; system: string },
  model: TurnModel,
  turns: readonly ChatTurn[],
  asked: ChatQuestion,
): object {
  return {
    model: model.id,
    ...(temperature.trim() && { temperature: Number(temperature) }),
    ...(most.trim() && { max_completion_tokens: Number(most) }),
    messages: messagesOf(system, turns, asked, model.isSeeing),
  };
}
