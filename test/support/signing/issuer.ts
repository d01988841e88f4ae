/** What the providers of a conversation sign, and what each of them says in turn. */
import { issueSignature, type Signer } from "#infra/local/demo/strictness/signatures.ts";

export type Json = Record<string, unknown>;
export type Family = "openai" | "anthropic" | "gemini" | "responses";

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Signs texts in one provider's name, and knows its own signatures again. */
interface Issuer {
  sign(text: string): string;
  /** Whether this provider signed this text so. */
  signed(signature: unknown, text?: string): boolean;
  /** Every signature of this conversation, in the order they were made. */
  issued(): string[];
  /** A number that no earlier answer had. */
  next(): number;
  /** Begins another conversation. Signatures of the earlier ones are strange to it. */
  forget(): void;
}

/** In whose name each signs. */
const signers: Record<Family, Signer> = {
  openai: "openai",
  anthropic: "anthropic",
  gemini: "gemini",
  responses: "openai",
};

export function createIssuer(family: Family): Issuer {
  const texts = new Map<string, string>();
  let made = 0;
  return {
    sign(text) {
      const signature = issueSignature(signers[family], `${made++} ${text}`);
      texts.set(signature, text);
      return signature;
    },
    signed: (signature, text) =>
      typeof signature === "string" &&
      texts.has(signature) &&
      (text === undefined || texts.get(signature) === text),
    issued: () => [...texts.keys()],
    next: () => made++,
    forget: () => texts.clear(),
  };
}

/** One answer: a thought, then two calls or words. */
export interface Said {
  number: number;
  thought: string;
  calls: { id: string; name: string; city: string }[];
  text: string;
}

/** What a provider says next: it calls a tool twice, and with the results it answers. */
export function say(family: Family, issuer: Issuer, hasResults: boolean): Said {
  const number = issuer.next();
  const thought = `${family} thinks (${number}): "hm"…`;
  const cities = hasResults ? [] : ["Paris", "Rome"];
  const calls = cities.map((city, at) => ({ id: `call_${family}_${number}_${at}`, name: "weather", city }));
  return { number, thought, calls, text: hasResults ? `${family} says (${number}).` : "" };
}

/** A provider of one protocol: what it refuses, and what it answers. */
export interface Vendor {
  issuer: Issuer;
  /** Why a request is refused, as the real one says it, or undefined. */
  refuses(body: Json): string | undefined;
  /** Whole, or as frames. */
  answer(body: Json, stream: boolean): Json | string[];
}

export const named = (events: Json[]): string[] =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
export const unnamed = (chunks: Json[]): string[] =>
  chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
