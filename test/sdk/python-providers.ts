/**
 * The providers of the Python matrix: those of the chats (`support/vendors.ts`), and before them embeddings, pictures,
 * and failures that pass. The embeddings are those of the other matrix too. A request whose model is `limited-once` or
 * `down-once` fails the first time it comes.
 */
import { once } from "node:events";
import { createServer, request as forward, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { startVendors } from "#test/support/vendors.ts";
import { bodyOf, json } from "./front.ts";

export interface Providers {
  url: string;
  /** Whether some request held all of these texts. */
  wasSent(texts: string[]): boolean;
  stop(): Promise<void>;
}

/** What every text comes to; base64 of float32 carries it exactly. */
export const vector = [0.5, -0.25, 0.125, 1];
const picture = Buffer.from("a picture").toString("base64");

/** Starts them on one free port. */
export async function startProviders(): Promise<Providers> {
  const vendors = await startVendors();
  const bodies: string[] = [];
  const seen = new Set<string>();
  const server = createServer(async (incoming, outgoing) => {
    const body = await bodyOf(incoming);
    const text = body.toString();
    const path = incoming.url ?? "";
    bodies.push(text);
    const failing = /"?(limited-once|down-once)[":]/.exec(`${path} ${text}`)?.[1];
    if (failing && !seen.has(text)) {
      seen.add(text);
      fail(outgoing, failing);
      return;
    }
    if (answer(outgoing, path, text)) return;
    const { method, headers } = incoming;
    const sent = forward(vendors.url + path, { method, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
    });
    sent.on("error", () => outgoing.destroy());
    sent.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    wasSent: (texts) => bodies.some((body) => texts.every((text) => body.includes(text))),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await vendors.stop();
    },
  };
}

function fail(response: ServerResponse, how: string): void {
  if (how === "limited-once") {
    const error = { message: "Rate limit reached.", type: "rate_limit_error", code: "rate_limit_exceeded" };
    json(response, { type: "error", error }, 429, { "retry-after": "1" });
  } else {
    json(response, { type: "error", error: { message: "Overloaded.", type: "server_error" } }, 503);
  }
}

/** Answers what is no chat. Gives whether it did. */
function answer(response: ServerResponse, path: string, body: string): boolean {
  const embedding = { object: "embedding", index: 0, embedding: vector };
  const usage = { prompt_tokens: 4, total_tokens: 4 };
  if (path.endsWith("/embeddings")) {
    json(response, { object: "list", model: "upstream", data: [embedding], usage });
  } else if (path.endsWith("/embeddings/multimodal")) {
    json(response, { object: "list", id: "e1", created: 1, model: "upstream", data: embedding, usage });
  } else if (path.endsWith(":embedContent")) {
    json(response, { embedding: { values: vector }, usageMetadata: { promptTokenCount: 4 } });
  } else if (path.endsWith(":batchEmbedContents")) {
    const { requests } = JSON.parse(body) as { requests: unknown[] };
    const embeddings = requests.map(() => ({ values: vector }));
    json(response, { embeddings, usageMetadata: { promptTokenCount: 4 } });
  } else if (path.endsWith("/images/generations")) {
    pictures(response, path, JSON.parse(body) as { stream?: boolean; response_format?: string });
  } else return false;
  return true;
}

function pictures(
  response: ServerResponse,
  path: string,
  wanted: { stream?: boolean; response_format?: string },
) {
  const usage = { generated_images: 1, output_tokens: 4096, total_tokens: 4096 };
  const head = { model: "upstream", created: 1 };
  const asUrl = !path.startsWith("/v1/") && wanted.response_format !== "b64_json";
  const made = asUrl ? { url: "https://pictures.example/1.png" } : { b64_json: picture };
  if (!wanted.stream) return json(response, { ...head, data: [{ ...made, size: "2048x2048" }], usage });
  const events = [
    { type: "image_generation.partial_succeeded", ...head, image_index: 0, ...made, size: "2048x2048" },
    { type: "image_generation.completed", ...head, usage },
  ];
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end("data: [DONE]\n\n");
}
