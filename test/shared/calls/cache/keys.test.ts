/** Where answers are kept: a scope is derived once, and never for anybody else or under another pepper. */
import { expect, test } from "vitest";
import { readJsonObject } from "#shared/base/json/body.ts";
import { bounds } from "#shared/calls/cache/bounds.ts";
import type { Question } from "#shared/calls/cache/eligible.ts";
import { type KeyedCall, placeOf } from "#shared/calls/cache/keys.ts";
import { protocols } from "#shared/calls/protocols/index.ts";

const text = '{"messages":[{"role":"user","content":"Hi"}]}';
const at = text.indexOf('"Hi"');
const question: Question = {
  text: "Hi",
  place: { start: at, end: at + 4 },
  canonical: false,
  semantic: false,
};

const callOf = (user: string | null): KeyedCall => ({
  request: { headers: {} },
  principal: {
    organization: { id: "org_1" },
    key: { id: "key_1", project: null },
  } as unknown as KeyedCall["principal"],
  protocol: protocols["openai-chat"],
  model: { id: "test/model-1", channels: [] } as unknown as KeyedCall["model"],
  body: readJsonObject(Buffer.from(text)),
  user,
});
const placeFor = (user: string | null, pepper = "pepper") => placeOf(callOf(user), question, pepper);

test("a caller's place stays the same, however many others came meanwhile", () => {
  const first = placeFor("ann");
  const others = Array.from({ length: bounds.scopesMax + 1 }, (_, number) => placeFor(`user-${number}`));
  expect(placeFor("ann")).toEqual(first);
  const all = [first, ...others];
  for (const part of ["scope", "name", "context"] as const)
    expect(new Set(all.map((place) => place[part])).size).toBe(all.length);
  expect(new Set(all.map(({ key }) => key.toString("hex"))).size).toBe(all.length);
});

test("under another pepper everything is another, and the same again under the first", () => {
  const [first, second] = [placeFor("ann"), placeFor("ann", "another pepper")];
  for (const part of ["scope", "name", "context", "key"] as const)
    expect(second[part]).not.toEqual(first[part]);
  expect(placeFor("ann")).toEqual(first);
});
