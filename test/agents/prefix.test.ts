/** What is the same from one request to the next. */
import { expect, test } from "vitest";
import { firstChange, piecesOf } from "./prefix.ts";

const body = (...messages: object[]) => ({ tools: [{ name: "a" }], system: "Be brief.", messages });
const hello = { content: "Hello" };
const answer = { content: "Hi" };
const more = { content: "More" };

test("a conversation that only grows has no change", () => {
  expect(firstChange([body(hello), body(hello, answer), body(hello, answer, more)])).toBe(-1);
  expect(firstChange([body(hello)])).toBe(-1);
});

test.each([
  ["a tool", 0, { ...body(hello), tools: [{ name: "b" }] }],
  ["an instruction", 1, { ...body(hello), system: "Be long." }],
  ["a turn", 2, body(answer)],
])("%s that changes is found", (_, place, next) => {
  expect(firstChange([body(hello), next])).toBe(place);
});

test("marks of the cache and the line of attribution are no part of it", () => {
  const marked = { content: "Hello", cache_control: { type: "ephemeral" } };
  expect(piecesOf(body(marked))).toEqual(piecesOf(body(hello)));
  const line = (hash: string) => ({ ...body(), system: `x-anthropic-billing-header: ${hash}` });
  expect(firstChange([line("1"), line("2")])).toBe(-1);
});

test("the other protocols have their pieces too", () => {
  expect(piecesOf({ input: "a", instructions: "b" })).toEqual(["null", '"b"', '"a"']);
  expect(piecesOf({ contents: [{}], systemInstruction: {} })).toEqual(["null", "{}", "{}"]);
});
