/**
 * Signatures and encrypted reasoning belong to the model that made them. Its provider takes them back for that model
 * alone, and refuses a request with those of another. A crossing tags each signature with its origin on the way to the
 * client. On the way back the tag says whether the signature is restored or taken out (crossings.md, "Signatures").
 *
 * A tag is base64 text, because Gemini's field takes nothing else. Its first 24 characters are always the same, and
 * are letters and digits in both alphabets of base64. So a search for these bytes finds every tag of a request.
 */
import { hash } from "node:crypto";
import type { ChatEvent } from "./event.ts";
import type { AssistantPart, ChatMessage } from "./request.ts";

/** Eighteen bytes, a multiple of three, so the base64 of these does not depend on what follows. */
const mark = "gateway-signature:";

/** How every tag begins. */
export const tagStart = Buffer.from(mark).toString("base64");
const tagBytes = Buffer.from(tagStart);

/** What stands between the mark and the signature: the origin, the kind and a check of the signature. */
const header = /^1\.([a-z][a-z0-9_-]*\.[0-9a-f]{12})\.([sr])\.([0-9a-f]{12})$/;

/** The header of tags from before tags had an origin. */
const oldRedacted = "redacted";

/** What a model signed. */
export interface Signed {
  /** Empty where the model gave none. The tag then only says which model made the reasoning or the call. */
  signature: string;
  /** Anthropic's `redacted_thinking`, or encrypted reasoning without a summary. */
  redacted?: true;
}

interface Tagged extends Signed {
  /** Undefined for a tag that is damaged, or older than origins. */
  origin: string | undefined;
}

/**
 * Who signed: the provider by its name in the catalog, and a digest of its model. It is a digest because clients must
 * not learn a provider's own name for a model.
 */
export function originOf({ provider, model }: { provider: string; model: string }): string {
  return `${provider}.${digest(model)}`;
}

function digest(text: string): string {
  return hash("sha256", text).slice(0, 12);
}

/** A signature as a client of any protocol can keep it. */
export function tag(origin: string, { signature, redacted }: Signed): string {
  const told = ["1", origin, redacted ? "r" : "s", digest(signature)].join(".");
  return Buffer.from(`${mark}${told}:${signature}`).toString("base64");
}

/** Reads a tag, in either alphabet of base64. Undefined for anything that is no tag. Never throws. */
export function untag(value: unknown): Tagged | undefined {
  if (typeof value !== "string" || !value.startsWith(tagStart)) return undefined;
  const text = Buffer.from(value, "base64").toString("utf8");
  const end = text.indexOf(":", mark.length);
  const told = end === -1 ? "" : text.slice(mark.length, end);
  const signature = end === -1 ? "" : text.slice(end + 1);
  const [, origin, kind, check] = header.exec(told) ?? [];
  const redacted = kind === "r" || told === oldRedacted;
  // A client may have cut it short, and then the provider would refuse the whole request.
  const isWhole = check !== undefined && check === digest(signature);
  return { origin: isWhole ? origin : undefined, signature, ...(redacted ? { redacted } : {}) };
}

/** Whether a tag may stand anywhere in these bytes. */
export function mayHoldTag(bytes: Buffer): boolean {
  return bytes.includes(tagBytes);
}

/** A part of an answer for a client: its signature is tagged. */
export function tagPart<Part extends AssistantPart>(part: Part, origin: string): Part {
  if (part.type === "text" || part.signature === undefined) return part;
  const { signature } = part;
  return { ...part, signature: tag(origin, { ...part, signature } as Signed) };
}

/** An event of a stream for a client: its signature is tagged. */
export function tagEvent(event: ChatEvent, origin: string): ChatEvent {
  if (event.type !== "reasoning-end" && event.type !== "tool-call-start") return event;
  const { signature } = event;
  return signature === undefined
    ? event
    : { ...event, signature: tag(origin, { ...event, signature } as Signed) };
}

/** What a request in the neutral form becomes for the provider and model of `origin`. */
interface Restored {
  messages: ChatMessage[];
  /** Names of what was taken out. */
  dropped: string[];
}

/** Names of what is taken out of a request because another model signed it. */
export const foreignReasoning = "messages.parts.reasoning";
export const foreignSignature = "messages.parts.signature";

/**
 * The turns as the model of `origin` takes them: with its own signatures as it gave them, and without those of others.
 * Reasoning that another model signed goes whole, because it is worth nothing without its signature. A call stays,
 * unsigned. A signature without a tag did not come from here, so it counts as another model's.
 */
export function restoreSignatures(messages: ChatMessage[], origin: string): Restored {
  const dropped = new Set<string>();
  const restored = messages.map((message): ChatMessage => {
    if (message.role !== "assistant") return message;
    return { ...message, parts: message.parts.flatMap((part) => restorePart(part, origin, dropped)) };
  });
  return { messages: restored.filter(({ parts }) => parts.length > 0), dropped: [...dropped] };
}

function restorePart(part: AssistantPart, origin: string, dropped: Set<string>): AssistantPart[] {
  if (part.type === "text" || part.signature === undefined) return [part];
  const given: Tagged = untag(part.signature) ?? { origin: undefined, signature: part.signature };
  const { signature, redacted } = given;
  const isOwn = given.origin === origin && signature !== "";
  if (part.type === "tool_call") {
    const { signature: _, ...call } = part;
    if (isOwn) return [{ ...call, signature }];
    if (signature !== "") dropped.add(foreignSignature);
    return [call];
  }
  const { text } = part;
  if (isOwn) return [{ type: "reasoning", text, signature, ...(redacted ? { redacted } : {}) }];
  // Nobody signed it, so it is text for any provider whose protocol has a place for it.
  if (signature === "" && text !== "") return [{ type: "reasoning", text }];
  if (signature !== "" || redacted) dropped.add(foreignReasoning);
  return [];
}

/** What becomes of a signature that is passed through to the model of an origin. */
export type SignatureFate =
  | { fate: "stays" }
  | { fate: "restored"; signature: string }
  | { fate: "goes"; signed: boolean };

/**
 * What becomes of a value in the place of a signature. A tag of the model's own becomes the signature again, and any
 * other tag goes. A value that is no tag stays: it is between the client and its provider.
 */
export function fateOf(value: unknown, origin: string): SignatureFate {
  const tagged = untag(value);
  if (!tagged) return { fate: "stays" };
  const { signature } = tagged;
  if (tagged.origin === origin && signature !== "") return { fate: "restored", signature };
  return { fate: "goes", signed: signature !== "" || tagged.redacted === true };
}
