/**
 * Amazon Bedrock: InvokeModel with Anthropic's body, its stream, and its count of tokens (AWS, "Anthropic Claude Messages
 * API" and "CountTokens"). Model, stream and betas do not stand where Anthropic has them. Of Converse it is the stream.
 * Vectors and pictures are OpenAI's calls in the forms of the models' makers (`parts/`).
 */

import { editMembers, takeOut } from "../../../base/json/edit.ts";
import { type Fields, isObject } from "../../../base/json/fields.ts";
import { eventStreamType } from "../../../base/sse/event-message.ts";
import type { StreamMessage } from "../../../base/sse/event-stream.ts";
import { frameObject, renderFrame } from "../../../base/sse/frames.ts";
import { modelOfProfile } from "../../../books/catalog/inference-profile.ts";
import { betasOf, takenBetas } from "./betas.ts";
import { jsonOf, objectOf, withMoved } from "./body.ts";
import type { CloudHost, HostedCall, HostedParts, HostedRequest, PartedRequest } from "./host.ts";
import { withFrames } from "./message-frames.ts";
import { changedWhole } from "./whole-reply.ts";

/** The one version of Anthropic's messages that Bedrock has. */
const version = "bedrock-2023-05-31";

/**
 * The betas that Bedrock takes, by the names that Anthropic has for them; another one would be refused. new-api and
 * LiteLLM have the same list.
 */
const betas = betasOf(
  [
    "compact-2026-01-12",
    "computer-use-2024-10-22",
    "computer-use-2025-01-24",
    "context-1m-2025-08-07",
    "context-management-2025-06-27",
    "dev-full-thinking-2025-05-14",
    "effort-2025-11-24",
    "interleaved-thinking-2025-05-14",
    "output-128k-2025-02-19",
    "token-efficient-tools-2025-02-19",
    "tool-examples-2025-10-29",
    "tool-search-tool-2025-10-19",
  ],
  { "advanced-tool-use-2025-11-20": "tool-search-tool-2025-10-19" },
);

/** Members of the body that Bedrock refuses, and without which the answer is the same (coder/aibridge#226). */
const notTaken = ["metadata", "service_tier"] as const;

export const bedrock: CloudHost = {
  request(asked, call) {
    if (isConverse(call)) return { ...asked, headers: { ...asked.headers, accept: acceptFor(call) } };
    const { "anthropic-version": _, "anthropic-beta": beta, ...headers } = asked.headers;
    const { taken, isWhole } = takenBetas(beta, betas);
    const added = { anthropic_version: version, ...(taken.length > 0 && { anthropic_beta: taken }) };
    const { bytes, dropped } = invoked(objectOf(asked.body), added);
    if (isCount(call)) return { ...counting(bytes, call), headers };
    const way = call.stream ? "invoke-with-response-stream" : "invoke";
    return {
      path: `/model/${encodeURIComponent(call.model)}/${way}`,
      headers: { ...headers, accept: acceptFor(call) },
      body: [bytes],
      dropped: [...dropped, ...(isWhole ? [] : ["anthropic-beta"])],
    };
  },
  reply(reply, call) {
    if (isCount(call) && reply.status === 200)
      return changedWhole(reply, ({ inputTokens }) => ({ input_tokens: inputTokens }));
    return withFrames(reply, isConverse(call) ? converseFrame : messagesFrame);
  },
  parts(asked, call) {
    const found = parted[asked.path];
    return found?.().then((parts) => parts(asked, jsonOf(asked.body), call));
  },
};

type Parts = (asked: PartedRequest, request: Fields, call: HostedCall) => HostedParts;

/** What makes the parts of OpenAI's calls, by their paths. Most processes need none of it. */
const parted: Readonly<Record<string, () => Promise<Parts>>> = {
  "/embeddings": async () => (await import("./parts/bedrock-vectors.ts")).vectorParts,
  "/images/generations": async () => (await import("./parts/bedrock-pictures.ts")).pictureParts,
};

function acceptFor({ stream }: HostedCall): string {
  return stream ? eventStreamType : "application/json";
}

function isConverse({ protocol }: HostedCall): boolean {
  return protocol === "bedrock-converse";
}

function isCount({ protocol }: HostedCall): boolean {
  return protocol === "anthropic-count";
}

/** A body without what stands elsewhere at Bedrock, and with `added` in front. */
function invoked(body: Buffer, added: object): { bytes: Buffer; dropped: string[] } {
  const dropped: string[] = [];
  const left = notTaken.map((name) => [name, () => void dropped.push(name)]);
  const bytes = withMoved(body, ["model", "stream"], added, Object.fromEntries(left));
  return { bytes, dropped };
}

/** A count takes the body of an invocation, which has to bound its answer, and no model of a group of regions. */
function counting(bytes: Buffer, { model }: HostedCall): Omit<HostedRequest, "headers"> {
  const bounded = editMembers(bytes, { max_tokens: takeOut }).toString("utf8");
  const body = Buffer.from(`{"max_tokens":1,${bounded.slice(1)}`).toString("base64");
  return {
    path: `/model/${encodeURIComponent(modelOfProfile(model) ?? model)}/count-tokens`,
    body: [Buffer.from(JSON.stringify({ input: { invokeModel: { body } } }))],
  };
}

/** Converse's frame of a message: its payload, by the name of the event or of the exception. */
function converseFrame({ headers, payload }: StreamMessage): Buffer | undefined {
  const name = headers[":event-type"] ?? headers[":exception-type"];
  if (name !== undefined) return renderFrame(payload.toString("utf8").replaceAll("\n", " "), name);
  const { ":error-code": code = "error", ":error-message": message = "" } = headers;
  return renderFrame(JSON.stringify({ message }), code.endsWith("Exception") ? code : `${code}Exception`);
}

/** Anthropic's frame of a message. Each brings one event as base64, or an error by AWS's name. */
function messagesFrame({ headers, payload }: StreamMessage): Buffer | undefined {
  const { ":message-type": type = "", ":event-type": event = "" } = headers;
  if (type !== "event") return errorFrame(headers, payload);
  if (event !== "chunk") return undefined;
  const { bytes } = JSON.parse(payload.toString("utf8")) as { bytes?: unknown };
  if (typeof bytes !== "string") return undefined;
  const data = Buffer.from(bytes, "base64").toString("utf8").replaceAll("\n", " ");
  return renderFrame(data, nameOf(data));
}

/** The name of an event: its type, which Anthropic writes first. */
function nameOf(data: string): string {
  const [, first] = /^\{"type":"(\w+)"/.exec(data) ?? [];
  if (first !== undefined) return first;
  const { type } = (frameObject(renderFrame(data)) ?? {}) as { type?: unknown };
  return typeof type === "string" && /^\w+$/.test(type) ? type : "";
}

/** An exception of the stream, as Anthropic reports one. AWS writes its name with a small letter here alone. */
function errorFrame(headers: StreamMessage["headers"], payload: Buffer): Buffer {
  const name = headers[":exception-type"] ?? headers[":error-code"] ?? "error";
  const said = frameObject(renderFrame(payload.toString("utf8").replaceAll("\n", " ")));
  const message =
    isObject(said) && typeof said.message === "string" ? said.message : headers[":error-message"];
  const error = { type: name.charAt(0).toUpperCase() + name.slice(1), message: message ?? "" };
  return renderFrame(JSON.stringify({ type: "error", error }), "error");
}
