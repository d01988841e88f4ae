/** An answer as an application gets it from its SDK, in one form for all SDKs. */
import type { Counts, Json } from "./said.ts";

/** A call as an application gets it. */
export interface SeenCall {
  id: string;
  name: string;
  namespace?: string;
  /** The arguments: parsed, or a text where they are none. */
  args: unknown;
  signature?: string;
}

export interface Seen {
  text: string;
  thoughts: string;
  /** What signs the reasoning, as the client gets it. */
  signatures: string[];
  calls: SeenCall[];
  /** Texts and calls in their order, where the protocol has one. */
  order?: string[];
  refusal?: string;
  /** The client's own word. */
  stop: string;
  counts?: Omit<Counts, "fresh" | "stored"> & { input: number };
}

/** A client of one protocol: what it asks, and how it reads an answer's bytes. */
export interface AnsweredClient {
  /** Asks with three tools. The names are odd for other vendors. */
  body: Json;
  /** The tools as the client names them; one that takes any text in place of arguments says so. */
  tools: { name: string; namespace?: string; takes_text?: true }[];
  whole(bytes: Buffer): Promise<Seen>;
  streamed(bytes: Buffer): Promise<Seen>;
}
