/** Tables of wishes for reasoning: what a body asks, what a model is sent, what is named. */
import { expect, test } from "vitest";
import type { Traits } from "#shared/books/catalog/traits.ts";
import { fitted, type Room, traitsOf } from "./traits.ts";

type Json = Record<string, unknown>;

/** What of a body says how much to reason. */
const members: Record<Room, string[]> = {
  anthropic: ["thinking", "output_config"],
  "openai-chat": ["reasoning_effort", "thinking"],
  "openai-responses": ["reasoning", "include", "thinking"],
  gemini: ["generationConfig"],
};

type Row = [model: string | Traits, asked: Json, sent: Json, changed: string[]];

/**
 * A test for each row of a protocol; `base` is what its bodies have besides. A model is a catalog's or only its traits.
 */
export function reasoningRows(room: Room, base: Json, rows: Row[]): void {
  test.each(rows)("%j: %j is sent as %j", (model, asked, sent, changed) => {
    const traits = typeof model === "string" ? traitsOf(model) : model;
    const { body, own } = fitted(room, { ...base, ...asked }, traits);
    const told = Object.fromEntries(Object.entries(body).filter(([key]) => members[room].includes(key)));
    expect(told).toEqual(sent);
    // What becomes of the maximum's name is tested elsewhere.
    expect(own.filter((name) => name !== "max_completion_tokens").toSorted()).toEqual(changed.toSorted());
  });
}
