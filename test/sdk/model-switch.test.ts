/**
 * Conversations that go from model to model, with thinking and tools, over four providers that each refuse what they
 * did not sign. The vendors' SDKs keep the history where they do so themselves.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { tagStart } from "#shared/calls/chat/signature.ts";
import { modelOf, type Speech, speeches } from "#test/support/crossed.ts";
import { clients } from "#test/support/signing/clients.ts";
import { type Served, startServed } from "#test/support/signing/served.ts";

let served: Served;
beforeAll(async () => {
  served = await startServed();
});
afterAll(() => served?.stop());
beforeEach(() => served.forget());

/** From each to each other: on to the two that are left, and back and on to a third. */
const orders = speeches.flatMap((first) => {
  const others = speeches.filter((speech) => speech !== first);
  return others.flatMap((second) => {
    const [third, fourth] = others.filter((speech) => speech !== second) as [Speech, Speech];
    return [
      [first, second, third, fourth],
      [first, second, first, third],
    ] as Speech[][];
  });
});

/** Nothing was refused, nothing of ours reached a provider, and each got back all that it had signed before. */
function expectEveryoneTheirs(): void {
  for (const { refusal, text, brought, issued } of served.received) {
    expect(refusal).toBeUndefined();
    expect(text).not.toContain(tagStart);
    expect(brought).toEqual(issued);
  }
}

/** One turn with a model: it calls tools, gets their results and answers. */
async function turn(
  conversation: ReturnType<(typeof clients)[string]>,
  speech: Speech,
  number: number,
): Promise<void> {
  const { calls } = await conversation.ask(modelOf(speech), `Question ${number}`);
  expect(calls.map(({ name }) => name)).toEqual(["weather", "weather"]);
  const { text } = await conversation.give(modelOf(speech), calls);
  expect(text).toContain(`${speech} says`);
}

describe.each(Object.keys(clients))("a client of %s", (name) => {
  describe.each([
    ["whole", false],
    ["streamed", true],
  ] as const)("%s", (_, stream) => {
    const start = () => (clients[name] as (typeof clients)[string])(served, stream);

    test.each(orders.map((order) => [order.join(", "), order] as const))("through %s", async (_, order) => {
      const conversation = start();
      for (const [number, speech] of order.entries()) await turn(conversation, speech, number);
      expect(served.received.map(({ family }) => family)).toEqual(order.flatMap((each) => [each, each]));
      expectEveryoneTheirs();
    });

    const pairs = speeches.flatMap((from) =>
      speeches.flatMap((to) => (from === to ? [] : [[from, to] as const])),
    );
    test.each(pairs)("%s calls a tool, and %s gets the result", async (from, to) => {
      const conversation = start();
      const { calls } = await conversation.ask(modelOf(from), "Question");
      await conversation.give(modelOf(to), calls);
      await turn(conversation, from, 1);
      expectEveryoneTheirs();
    });
  });
});
