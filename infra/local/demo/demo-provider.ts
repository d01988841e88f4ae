/** Plays the providers without credentials. It uses none of our codecs, so that it cannot share their errors. */
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { type Listening, listen } from "../emulators/listen.ts";
import { createLocalServer } from "../emulators/loopback.ts";
import { countTokens, messages } from "./anthropic.ts";
import { VideoTasks } from "./ark-tasks.ts";
import { bedrockResponder } from "./bedrock.ts";
import { cloudResponder, geminiPath } from "./clouds.ts";
import { countContents, generateContent, streamGenerateContent } from "./gemini.ts";
import { Judge } from "./judge.ts";
import { chatCompletions } from "./openai.ts";
import { arkImages, images } from "./pictures.ts";
import { type DemoBody, type Responder, sendJson } from "./reply.ts";
import { responses } from "./responses.ts";
import { semantic } from "./semantic.ts";
import { refusalAt } from "./strictness.ts";
import {
  batchEmbedContents,
  embedContent,
  embeddings,
  embeddingsOfMeanings,
  multimodalEmbeddings,
} from "./vectors.ts";
import { Weather } from "./weather.ts";

/** Responders by the rest of the path, after `/<provider>/<protocol>` and Gemini's model, or by protocol and rest. */
const responders: Record<string, Responder> = {
  "/chat/completions": chatCompletions,
  "/responses": responses,
  "/embeddings": embeddings,
  "/embeddings/multimodal": multimodalEmbeddings,
  "/images/generations": images("image_generation"),
  "ark /images/generations": arkImages,
  "/images/edits": images("image_edit"),
  "/v1/messages": messages,
  "/v1/messages/count_tokens": countTokens,
  ":generateContent": generateContent,
  ":streamGenerateContent": streamGenerateContent,
  ":countTokens": countContents,
  ":embedContent": embedContent,
  ":batchEmbedContents": batchEmbedContents,
};

interface DemoOptions {
  /** How many real seconds one second of a video task lasts. */
  taskScale?: number;
  /** The pause before each word of a stream is multiplied by this. */
  streamScale?: number;
  /** Refuses what the vendors that it plays refuse (`demo/strictness.ts`). */
  strict?: boolean;
  /** The providers whose weather can be set; any if undefined. */
  providers?: readonly string[];
  /** Gives numbers in [0, 1), by which a flaky provider fails. */
  random?: () => number;
}

/** The pause before each word, so that one sees that it is a stream. */
const wordPauseMs = 20;

/** Serves `/<provider>/<protocol>/…`, `/weather` and `/judge` on a free port. */
export async function startDemoProvider({
  taskScale = 1,
  streamScale = 1,
  strict = false,
  providers,
  random = Math.random,
}: DemoOptions = {}): Promise<Listening> {
  const videos = new VideoTasks(taskScale);
  const weather = new Weather(providers, random);
  const judge = new Judge();
  const ofMeanings: Record<string, Responder> = {
    "/embeddings": embeddingsOfMeanings,
    "/chat/completions": judge.completions,
  };
  const responderOf = (provider: string, protocol: string, path: string) =>
    (provider === semantic.provider ? ofMeanings[path] : undefined) ??
    responders[`${protocol} ${path}`] ??
    responders[path];
  const pauseMs = wordPauseMs * streamScale;
  const server = createLocalServer(async (request, response) => {
    // A client that goes away ends its own answer and nothing else.
    response.on("error", () => {});
    const { method = "", headers } = request;
    const [target = "", query] = (request.url ?? "").split("?");
    // Its client may go away before all of a request is here.
    const text = await textOf(request).catch(() => undefined);
    if (text === undefined || weather.serve(request, text, response)) return;
    if (judge.serve(request, text, response)) return;
    const [, root = "", provider = "", protocol = "", whole = ""] =
      /^(\/([^/]+)\/([^/]+))(\/.*)/.exec(target) ?? [];
    if (isBadKey(headers)) return sendJson(response, 401, badKey(headers));
    const slowness = await weather.befall(provider, pauseMs, response);
    if (slowness === undefined) return;
    const path = geminiPath(whole);
    const clouds = cloudResponder(whole, query ?? "") ?? bedrockResponder(whole, headers);
    const found = clouds ?? responderOf(provider, protocol, path);
    const responder = method === "POST" ? found : undefined;
    const body = bodyOf(text, headers["content-type"]);
    const refusal = strict && body ? refusalAt(target, body, headers) : undefined;
    const base = `http://${headers.host}${root}`;
    const video = responder
      ? undefined
      : videos.answer({ method, path, query: new URLSearchParams(query), body, base });
    if (video?.body instanceof Buffer) sendVideo(response, video.body);
    else if (video) sendJson(response, video.status, video.body);
    else if (method === "GET" && path === "/models") sendJson(response, 200, { object: "list", data: [] });
    else if (!responder) sendJson(response, 404, { error: { message: `the demo provider has no ${path}` } });
    else if (!body) sendJson(response, 400, { error: { message: "the body is no JSON object" } });
    else if (refusal) sendJson(response, refusal.status, refusal.body, refusal.headers);
    else await responder(body, response, pauseMs * slowness);
  });
  return await listen(server, 0);
}

/** The headers in which a key comes. */
const keyHeaders = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];

function keyIn(headers: IncomingHttpHeaders): string {
  return keyHeaders.map((name) => String(headers[name] ?? "")).join(" ");
}

/** Whether a key says of itself that it is bad, so that one can be tried. Any other is taken. */
function isBadKey(headers: IncomingHttpHeaders): boolean {
  return /\bbad\b/i.test(keyIn(headers));
}

/** The refusal of a key, which repeats it as vendors do. */
function badKey(headers: IncomingHttpHeaders): object {
  const message = `Incorrect API key provided: ${keyIn(headers).trim()}`;
  return { error: { message, type: "authentication_error", code: "invalid_api_key" } };
}

function sendVideo(response: ServerResponse, video: Buffer): void {
  response.writeHead(200, { "content-type": "video/mp4", "content-length": video.length });
  response.end(video);
}

/** The JSON or the plain form of a request. Of the form of a picture edit only the wish for a stream is read. */
function bodyOf(text: string, type = ""): DemoBody | undefined {
  if (type.startsWith("application/x-www-form-urlencoded"))
    return Object.fromEntries(new URLSearchParams(text));
  if (type.startsWith("multipart/form-data")) return { stream: /name="stream"\r\n\r\ntrue\r\n/.test(text) };
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? (body as DemoBody) : undefined;
  } catch {
    return undefined;
  }
}
