/** The features of the matrix: what each client is to do with each model, and what the provider is to be sent. */
import { expect } from "vitest";
import { spent, toolArguments, words } from "#test/support/vendors.ts";
import { pictureAddress, png, type Question, type SdkClient, toolName, toolResult } from "./client.ts";
import { type ChatModel, chatModels, embeddingModels, tooLong } from "./models.ts";
import { vector } from "./python-providers.ts";

/** What a check is given beside the client: the model, and the body that a provider was sent last, as text. */
interface Scene {
  model: ChatModel;
  sent: () => string;
}

interface Feature {
  /** How many answered calls a check makes. */
  calls: number;
  check(client: SdkClient, scene: Scene): Promise<void>;
}

const text = words.join("");
const usage = { input: spent.input_tokens + spent.cache_read_tokens, output: spent.output_tokens };
const tool = { name: toolName, arguments: JSON.parse(toolArguments) as unknown };

/** A model of another vendor. */
const another = (model: ChatModel): ChatModel =>
  model.startsWith("anthropic/") ? "google/gemini-3.5-flash" : "anthropic/claude-opus-4-8";

/**
 * One call whose answer is the usual one but for what is `expected`; `carried` is in the body that the provider gets.
 */
function says(question: Omit<Question, "model">, expected: object, carried = /^/): Feature {
  return {
    calls: 1,
    async check(client, { model, sent }) {
      expect(await client.ask({ model, ...question })).toEqual({ text, usage, ...expected });
      expect(sent()).toMatch(carried);
    },
  };
}

/** A call of a tool whose result goes to the model `then`. */
function converses(question: Omit<Question, "model">, then = (model: ChatModel) => model): Feature {
  return {
    calls: 2,
    async check(client, { model, sent }) {
      expect(await client.converse({ model, ...question }, then(model))).toEqual({ text, usage });
      expect(sent()).toContain(toolResult);
    },
  };
}

const verbatim = (words: string) => new RegExp(words.replace(/[.+/]/g, "\\$&"));

/** By the name that the table has for each. */
export const features: Record<string, Feature> = {
  whole: says({}, {}),
  streamed: says({ stream: true }, {}),
  "tool, whole": says({ tool: true }, { tool }),
  "tool, streamed": says({ tool: true, stream: true }, { tool }),
  "tool over two turns, whole": converses({}),
  "tool over two turns, streamed": converses({ stream: true }),
  "model switched between two turns": converses({}, another),
  "JSON schema": says({ schema: true }, { text: toolArguments }),
  "picture, by its bytes": says({ picture: "bytes" }, {}, verbatim(png)),
  "picture, by its address": says({ picture: "address" }, {}, verbatim(pictureAddress)),
  reasoning: says(
    { reasoning: true },
    {},
    /"(?:reasoning_effort|reasoning|thinking|thinkingConfig|output_config)":/,
  ),
  "refusal by the provider": {
    calls: 0,
    async check(client, { model }) {
      const failure = await client.fail(tooLong(model));
      expect(failure).toMatchObject({ status: 400 });
      expect(failure.message).toMatch(/context length|too long|token count/);
      if (failure.request !== undefined) expect(failure.request).toMatch(/^req_/);
    },
  },
};

/** Claude's own SDKs ask for a budget, and a request in the provider's own protocol is sent as it came. */
const asksForBudgets = [
  "@anthropic-ai/sdk 1",
  "@anthropic-ai/sdk 0",
  "@aws-sdk/client-bedrock-runtime, invoke",
  "@ai-sdk/anthropic",
];

/** A further part of a client's interface. */
interface Surface {
  columns: readonly string[];
  /** How many answered calls a check makes. */
  calls: number;
  /** What checks it; undefined where the client has no such part. */
  checkOf(client: SdkClient): ((column: string) => Promise<void>) | undefined;
}

export const surfaces: Record<string, Surface> = {
  embeddings: {
    columns: Object.keys(embeddingModels),
    calls: 1,
    checkOf: ({ embed }) => embed && (async (model) => expect(await embed(model)).toEqual(vector)),
  },
  "list of models": {
    columns: ["every model of the catalog"],
    calls: 0,
    checkOf: ({ models }) =>
      models &&
      (async () => {
        const listed = (await models()).map((name) => name.replace(/^models\//, ""));
        const known = Object.keys(chatModels).flatMap((id) => [id, tooLong(id as ChatModel)]);
        expect(listed.toSorted()).toEqual([...known, ...Object.keys(embeddingModels)].toSorted());
      }),
  },
};

/** What a client cannot do by itself, or its provider refuses, with the reason that the table gives. */
export function unavailable(client: string, feature: string, model: ChatModel): string | undefined {
  if (model === "anthropic/claude-opus-4-8" && feature === "reasoning" && asksForBudgets.includes(client)) {
    return "the model takes no budget: `x-gateway-adapt: 1` makes it fit";
  }
  if (client === "zhipu-ai-provider" && model === "openai/gpt-5.4" && feature !== "refusal by the provider") {
    return "OpenAI does not know the SDK's `thinking`: `x-gateway-adapt: 1` makes it fit";
  }
  if (client === "@ai-sdk/openai, chat" && model === "zhipu/glm-4-6v" && feature === "reasoning") {
    return "GLM does not know the SDK's role `developer`";
  }
  if (client === "@aws-sdk/client-bedrock-runtime, converse" && feature === "picture, by its address")
    return "the SDK knows no address but S3's";
  if (client === "@ai-sdk/google" && feature === "picture, by its address")
    return "the SDK fetches the picture itself";
  if (client !== "zhipu-ai-provider") return undefined;
  if (feature === "JSON schema") return "the SDK sends no schema";
  if (feature === "tool, streamed" || feature === "tool over two turns, streamed")
    return "the SDK wants a streamed call in one piece, as GLM sends it";
  return undefined;
}
