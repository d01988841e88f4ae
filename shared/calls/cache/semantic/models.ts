/** Asks the catalog's embedder and verifier. The house pays, each answer is logged, and what fails is no answer. */

import { readJsonObject } from "../../../base/json/body.ts";
import { isObject } from "../../../base/json/fields.ts";
import { limits } from "../../../base/limits.ts";
import { readAll, type Send } from "../../../base/platform/http-client.ts";
import { describeError, type Log } from "../../../base/platform/log.ts";
import { within } from "../../../base/platform/pause.ts";
import { type ChatCall, plainCall } from "../../../books/billing/call.ts";
import type { Usage } from "../../../books/billing/usage.ts";
import { tokensOf } from "../../../books/billing/usage.ts";
import type { Model, ReadyChannel } from "../../../books/catalog/catalog.ts";
import type { ModelCatalog } from "../../../books/catalog/models.ts";
import type { ChatRequest } from "../../chat/request.ts";
import { baseOf, type ProtocolBase } from "../../protocols/base.ts";
import type { CrossingName } from "../../protocols/crossing.ts";
import { crossingOf } from "../../protocols/crossings.ts";
import { protocols } from "../../protocols/index.ts";
import { openaiEmbeddings } from "../../protocols/openai-embeddings/index.ts";
import type { Protocol } from "../../protocols/protocol.ts";
import { readBody } from "../../protocols/reply-body.ts";
import { ask } from "../../upstreams/ask.ts";
import { type Access, type AccessPorts, accessTo } from "../../upstreams/credentials/index.ts";
import { bounds } from "./bounds.ts";

export interface ModelDeps extends AccessPorts {
  catalog: Pick<ModelCatalog, "cacheModels" | "provider" | "traits">;
  send: Send;
  log: Log;
  now: () => number;
}

interface AskedModels {
  /** The vector of a text. Undefined where the embedder gave none within `ms` milliseconds. Never rejects. */
  embed(text: string, ms: number): Promise<number[] | undefined>;
  /** What the verifier wrote. Undefined where it wrote nothing within `ms` milliseconds. Never rejects. */
  ask(request: ChatRequest, ms: number): Promise<string | undefined>;
}

/** The models that the catalog names for the cache. They answer nothing where it names none. */
export function createModels(deps: ModelDeps): AskedModels {
  const models = deps.catalog.cacheModels();
  return {
    embed: async (text, ms) =>
      models &&
      (await inTime(models.embedder, ms, (signal) => vectorOf(models.embedder, text, signal, deps), deps)),
    ask: async (request, ms) =>
      models &&
      (await inTime(models.verifier, ms, (signal) => wordsOf(models.verifier, request, signal, deps), deps)),
  };
}

interface ModelAnswer<Value> {
  value: Value | undefined;
  usage: Usage | undefined;
}

/** Logs one answer. A model that does not answer in time is broken off. */
async function inTime<Value>(
  model: Model,
  ms: number,
  act: (signal: AbortSignal) => Promise<ModelAnswer<Value>>,
  { log, now }: ModelDeps,
): Promise<Value | undefined> {
  const began = now();
  const abort = new AbortController();
  const told = () => ({ model: model.id, duration_ms: now() - began });
  try {
    const answered = await within(act(abort.signal), ms, undefined);
    if (!answered) {
      abort.abort();
      log("warn", "cache_model", { ...told(), error: `no answer within ${ms} ms` });
      return undefined;
    }
    const { value, usage } = answered;
    log("info", "cache_model", { ...told(), ...(usage && { tokens: tokensOf(usage) }) });
    return value;
  } catch (error) {
    log("warn", "cache_model", { ...told(), error: describeError(error) });
    return undefined;
  }
}

async function vectorOf(
  model: Model,
  text: string,
  signal: AbortSignal,
  deps: ModelDeps,
): Promise<ModelAnswer<number[]>> {
  const { elsewhere } = openaiEmbeddings;
  const way = await wayTo(model, elsewhere ? [openaiEmbeddings, elsewhere] : [openaiEmbeddings], deps);
  const { protocol, channel } = way;
  const call: ChatCall = { ...plainCall, inputs: 1 };
  const body = readJsonObject(
    Buffer.from(JSON.stringify({ model: "", input: text, encoding_format: "float" })),
  );
  const bytes = await post(way, call, protocol.passThrough(body, call, channel.model), signal, deps);
  return reading(() => {
    const { usage } = protocol.readReply(bytes, call);
    const asked = { model: model.id, input_tokens: 0 };
    const { data } = readBody(protocol.finishReply?.(bytes, call, asked) ?? bytes);
    const [first]: unknown[] = Array.isArray(data) ? data : [];
    const vector = isObject(first) ? first.embedding : undefined;
    const isVector = Array.isArray(vector) && vector.every((value) => typeof value === "number");
    return { value: isVector ? (vector as number[]) : undefined, usage };
  });
}

const chats = Object.values(protocols).filter(({ crossing }) => crossing);

async function wordsOf(
  model: Model,
  request: ChatRequest,
  signal: AbortSignal,
  deps: ModelDeps,
): Promise<ModelAnswer<string>> {
  const way = await wayTo(model, chats, deps);
  const { protocol, dialect, channel } = way;
  const crossing = await crossingOf(protocol.crossing as CrossingName);
  const traits = deps.catalog.traits(model, channel, dialect);
  const target = { model: channel.model, output_tokens: model.output_tokens, traits };
  const { body } = crossing.fitRequest(crossing.encodeRequest(request, target).body, traits);
  const bytes = await post(way, plainCall, [Buffer.from(JSON.stringify(body))], signal, deps);
  return reading(() => {
    const { parts, usage } = crossing.decodeReply(readBody(bytes, crossing.exact));
    const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    return { value: text, usage };
  });
}

/** Reads an answer. An error of its parser may quote it, and with it the question, so nobody is told that error. */
function reading<Value>(read: () => ModelAnswer<Value>): ModelAnswer<Value> {
  try {
    return read();
  } catch {
    throw new Error("a reply that cannot be read");
  }
}

interface ModelWay extends ProtocolBase {
  channel: ReadyChannel;
  access: Access;
}

/** The first channel of a model that has a credential and speaks one of these protocols. Throws where none does. */
async function wayTo(
  model: Model,
  spoken: readonly Protocol[],
  { catalog, ...deps }: ModelDeps,
): Promise<ModelWay> {
  for (const channel of model.channels) {
    const provider = catalog.provider(channel.provider);
    const base = provider && spoken.flatMap((protocol) => baseOf(provider, protocol) ?? [])[0];
    if (!base) continue;
    const access = await accessTo({ ...provider, ...channel }, base.base_url, deps);
    if (access) return { ...base, channel, access };
  }
  throw new Error("no channel of it has a credential");
}

/** Sends a request once, and reads the answer. Throws for every status but 2xx. */
async function post(
  { protocol, access, channel }: ModelWay,
  call: ChatCall,
  body: readonly Uint8Array[],
  signal: AbortSignal,
  { send }: Pick<ModelDeps, "send">,
): Promise<Buffer> {
  const request = {
    method: "POST",
    path: protocol.upstreamPath(channel.model, call),
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "model-gateway",
      ...protocol.forwardHeaders?.({}),
    },
    body,
    connectMs: limits.upstreamConnectMs,
    firstByteMs: limits.upstreamFailoverMs,
    idleMs: limits.upstreamSilenceMs,
    signal,
  };
  const hosted = { protocol: protocol.name, model: channel.model, stream: false };
  const { reply } = await ask(request, hosted, access, send);
  const bytes = await readAll(reply, bounds.replyBytesMax);
  if (reply.status < 200 || reply.status > 299) throw new Error(`status ${reply.status}`);
  return bytes;
}
