/** What the coding agents really send crosses to every other protocol, and their vendors take it. */
import { describe, expect, test } from "vitest";
import { refusalOf } from "#infra/local/demo/strictness.ts";
import type { CrossingName } from "#shared/calls/protocols/crossing.ts";
import { crossed, sides } from "#test/support/crossed-pairs.ts";
import { crossings } from "#test/support/crossings.ts";
import { type Spoken, spoken } from "#test/support/traits.ts";
import { cut, grown, readGoldens } from "./goldens.ts";
import { models, type ProviderProtocol } from "./world.ts";

const goldens = readGoldens();

/** The protocol of a path at the gateway. */
function clientOf(path: string): CrossingName {
  if (path.includes("/messages") || path.startsWith("/model/")) return "anthropic";
  if (path.includes("enerateContent")) return "gemini";
  return path.includes("/responses") ? "openai-responses" : "openai-chat";
}

/** A body as Anthropic takes it. Clients of Bedrock say the model in the path, and a version and flags in the body. */
function asPosted(path: string, body: Record<string, unknown>): Record<string, unknown> {
  if (!path.startsWith("/model/")) return body;
  const { anthropic_version: _, anthropic_beta: __, ...messages } = body;
  return { ...messages, model: "upstream", stream: true };
}

const speech: Record<Exclude<CrossingName, "bedrock-converse">, ProviderProtocol> = {
  "openai-chat": "openai",
  "openai-responses": "responses",
  anthropic: "anthropic",
  gemini: "gemini",
};

/** A model that is asked in a protocol. In Converse every maker's model is, so one of nobody stands for all. */
function modelIn(room: CrossingName): Pick<Spoken, "name" | "traits"> | undefined {
  if (room === "bedrock-converse") return { name: "upstream", traits: {} };
  return spoken.find((each) => each.id === models[speech[room]] && each.room === room);
}

describe.each(goldens)("%s", (_, { path, headers, body: sent }) => {
  const client = clientOf(path);
  const body = asPosted(path, sent);

  test("is taken by the vendor of its own protocol", () => {
    const [side] = sides.filter(({ name }) => name === client);
    if (side) expect(refusalOf(side.vendor, "upstream", body, headers)).toBeUndefined();
  });

  test.each(sides.filter(({ name }) => name !== client))("crosses to $name", ({ name, vendor }) => {
    const model = modelIn(name);
    if (!model) throw new Error(`no model speaks ${name}`);
    const asked = crossed(client, name, body, { model: model.name, traits: model.traits });
    if (asked.refused !== undefined) throw new Error(`refused for ${asked.refused}`);
    expect(refusalOf(vendor, model.name, asked.body)).toBeUndefined();
  });

  test("has no tool that its program must leave out, but for a search of the web", () => {
    const { native = [] } = crossings[client].decodeRequest(structuredClone(body));
    expect(native.map((tool) => tool.name).filter((tool) => tool !== "web_search")).toEqual([]);
  });
});

describe("a long text", () => {
  const text = Array.from({ length: 900 }, (_, at) => `line ${at}`).join("\n");

  test("is cut, and has its length again", () => {
    expect(cut(text).length).toBeLessThan(300);
    expect(grown(cut(text))).toHaveLength(text.length);
    expect(cut(cut(text))).toBe(cut(text));
  });

  test("that is short stays", () => {
    expect(grown(cut("short"))).toBe("short");
  });
});
