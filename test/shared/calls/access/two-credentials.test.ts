/** A program may send the key of another vendor beside ours. */
import { describe, expect, test } from "vitest";
import { newApiKey } from "#shared/base/platform/api-key.ts";
import { completion, useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();

describe("two credentials", () => {
  const anthropics = "sk-ant-api03-AAAA";
  const chat = (key: string, bearer: string) =>
    scenario.chat({ headers: { "x-api-key": key, authorization: `Bearer ${bearer}` } });

  test("the one that is a key of ours by its form counts, wherever it stands", async () => {
    const ours = scenario.memory.addKey();
    scenario.upstream.json(completion);
    expect((await chat(anthropics, ours)).status).toBe(200);
    expect((await chat(ours, anthropics)).status).toBe(200);
    expect((await chat(anthropics, "sk-proj-other")).status).toBe(401);
  });

  test("of two that have the form the one with a record counts, and `x-api-key` of two that have one", async () => {
    const [ours, others] = [scenario.memory.addKey(), scenario.memory.addKey()];
    const nobodys = newApiKey("payg").secret;
    scenario.upstream.json(completion);
    expect((await chat(nobodys, ours)).status).toBe(200);
    expect((await chat(nobodys, newApiKey("payg").secret)).status).toBe(401);
    await chat(ours, others);
    const [first, second] = scenario.memory.events.slice(-2).map(({ key }) => key);
    expect(second).toBe(first);
  });
});
