/** Models of Bedrock and Vertex AI for vectors and pictures, with a cloud that answers as a test says. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { beforeEach } from "vitest";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { type Answer, call } from "./call.ts";
import { createMemory } from "./memory.ts";
import { useScenario } from "./scenario.ts";
import { surfacesCatalog } from "./surfaces.ts";

export type Json = Record<string, unknown>;

/** What the cloud answers to one request. */
interface CloudAnswer {
  status?: number;
  body: Json;
  headers?: Record<string, string>;
}

/** The models, each as `cloud/NAME`, by what the cloud calls them. */
export const cloudNames = {
  titan: "amazon.titan-embed-text-v2:0",
  nova: "amazon.nova-2-multimodal-embeddings-v1:0",
  english: "cohere.embed-english-v3",
  cohere: "global.cohere.embed-v4:0",
  picture: "stability.stable-image-ultra-v1:1",
  gecko: "gemini-embedding-001",
  gemini: "gemini-embedding-2",
};
type CloudName = keyof typeof cloudNames;

/** A gateway with the models, for each test of a file. */
export function useCloud() {
  const scenario = useScenario();
  const cloud = {
    scenario,
    /** What the cloud does with each request, by its body. */
    answer: (_: Json): CloudAnswer => ({ body: {} }),
    send: (path: string, body: object): Promise<Answer> =>
      call(scenario.serve, path, { headers: scenario.bearer(), body }),
    embed: (name: CloudName, body: object): Promise<Answer> =>
      cloud.send("/v1/embeddings", { model: `cloud/${name}`, ...body }),
    /** What the cloud was sent. Requests of one call come in any order. */
    sent: () =>
      scenario.upstream.requests.map(({ path, body }) => ({
        path,
        body: JSON.parse(body.toString()) as Json,
      })),
    /** What a call has left: all of it is empty if the call consumed nothing. */
    traces: () => [scenario.memory.holds, scenario.memory.events, scenario.upstream.requests],
  };
  beforeEach(() => {
    scenario.memory = createMemory(catalogAt(scenario.upstream.url));
    scenario.key = scenario.memory.addKey();
    scenario.serve = createPipeline({} as never, scenario.memory.deps);
    scenario.upstream.on((_: IncomingMessage, response: ServerResponse) => {
      const asked = scenario.upstream.requests.at(-1)?.body.toString() ?? "";
      const { status = 200, body, headers = {} } = cloud.answer(JSON.parse(asked) as Json);
      const type = { "content-type": "application/json" };
      response.writeHead(status, { ...type, ...headers }).end(JSON.stringify(body));
    });
  });
  return cloud;
}

function catalogAt(url: string): unknown {
  const base = surfacesCatalog(url) as { providers: Json; models: Json[] };
  const named = (id: string) => base.models.find((model) => model.id === id) as Json;
  const aws = { host: "bedrock", auth: "aws_role", protocols: { openai: url } };
  const google = {
    ...{ host: "vertex", auth: "bearer", secret: "TEST_API_KEY" },
    protocols: { gemini: `${url}/p` },
  };
  const model = (name: CloudName, like: Json, provider: string) => ({
    ...{ ...like, id: `cloud/${name}`, aliases: [], channels: [{ provider, model: cloudNames[name] }] },
  });
  const vectors = named("openai/embedding");
  const models = [
    ...(["titan", "nova", "english", "cohere"] as const).map((name) => model(name, vectors, "aws")),
    model("picture", { ...named("openai/image"), capabilities: ["images"] }, "aws"),
    ...(["gecko", "gemini"] as const).map((name) => model(name, vectors, "google")),
  ];
  return { ...base, providers: { ...base.providers, aws, google }, models: [...base.models, ...models] };
}

/** A vector that tells its text. */
export const vectorOf = (text: unknown): number[] => [String(text).length, 0.5];

/** Titan's answer: as many tokens as the text has characters. */
export const titan = ({ inputText }: Json): CloudAnswer => ({
  body: { embedding: vectorOf(inputText), inputTextTokenCount: String(inputText).length },
});
