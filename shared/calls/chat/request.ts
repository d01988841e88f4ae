/**
 * The neutral chat request, which carries a request from one protocol to another. It is small on purpose: it has a
 * concept only when three protocols have it. A field without a place in it is dropped by name (`dropped`).
 */
import type { RawNumber } from "../../base/json/exact.ts";
import type { EffortWord } from "../../books/catalog/effort.ts";
import type { ServedWays } from "./ways.ts";

/** What a client may mark: the provider keeps the conversation up to here for its next turn. */
interface Cached {
  cache?: true;
}

export interface TextPart extends Cached {
  type: "text";
  text: string;
}

/** An image, file or sound, inline or by address. The gateway never fetches the address. */
export interface MediaPart extends Cached {
  type: "image" | "file" | "audio";
  source:
    | { type: "base64"; media_type: string; data: string }
    | { type: "url"; url: string; media_type?: string };
  /** A file's name. */
  name?: string;
  /** OpenAI's `low`, `high`, `auto` for images. */
  detail?: string;
}

/** The model's reasoning, as it must go back to the provider that signed it. */
export interface ReasoningPart {
  type: "reasoning";
  text: string;
  /** Anthropic's `signature`, Gemini's `thoughtSignature`, Responses' `encrypted_content`. */
  signature?: string;
  /** Anthropic's `redacted_thinking`: no text, only `signature`. */
  redacted?: true;
}

export interface ToolCallPart {
  type: "tool_call";
  id: string;
  name: string;
  /** A JSON object as text; `{}` for a call without arguments, never empty. */
  arguments: string;
  /** Gemini signs calls; it must come back with them (protocols.md pitfall 10). */
  signature?: string;
}

export interface ToolResultPart extends Cached {
  type: "tool_result";
  call_id: string;
  /** The tool's name, where a protocol gives it or it was looked up from the call. */
  name?: string;
  content: ContentPart[];
  is_error?: true;
}

/** What a text of a user or of a tool is made of. */
export type ContentPart = TextPart | MediaPart;
export type UserPart = ContentPart | ToolResultPart;
export type AssistantPart = TextPart | ReasoningPart | ToolCallPart;

/**
 * Turns in order. Neighbouring messages of one role are merged by whoever needs them merged. Instructions that come
 * between turns stay where they stand: moved to the front, they would change what a provider has in its cache.
 */
export type ChatMessage =
  | { role: "user"; parts: UserPart[] }
  | { role: "assistant"; parts: AssistantPart[] }
  | { role: "system"; parts: TextPart[] };

export interface Tool extends Cached {
  name: string;
  description?: string;
  /** JSON Schema of the arguments; absent for a tool without any. */
  parameters?: Record<string, unknown>;
  strict?: boolean;
}

export type ToolChoice = { type: "auto" | "none" | "required" } | { type: "tool"; name: string };

export type OutputFormat =
  | { type: "text" | "json" }
  | { type: "json_schema"; name: string; schema: Record<string, unknown>; strict?: boolean };

export interface ChatRequest {
  /** System and developer instructions before the first turn. */
  system: TextPart[];
  messages: ChatMessage[];
  tools: Tool[];
  tool_choice?: ToolChoice;
  /** False: at most one tool call in an answer. */
  parallel_tool_calls?: boolean;
  max_output_tokens?: number;
  temperature?: number;
  top_p?: number;
  top_k?: number;
  stop: string[];
  format?: OutputFormat;
  reasoning?: { effort?: EffortWord; budget_tokens?: number; include?: boolean };
  /** With its digits, where a double would lose some. */
  seed?: number | RawNumber;
  user?: string;
  /** How the client wants the call served, where it does not want the standard way. */
  ways?: ServedWays;
  stream: boolean;
}

/** A tool that only the client's own protocol has. */
export interface NativeTool {
  /** Its type, or the member that switches it on, as the client wrote it. */
  name: string;
  /** The place of the object it stands in, as `tools[0]`; "" for a member of the body itself. */
  at: string;
  /** The provider runs it itself. */
  hosted: boolean;
}

/** A decoded request with the names of the fields that have no place in the neutral form. */
export interface DecodedRequest {
  request: ChatRequest;
  dropped: string[];
  /**
   * Tools that only the client's own protocol has. They are not in `request`, which would mean something else without
   * them.
   */
  native?: NativeTool[];
}

/** An encoded body with the names of the neutral fields the protocol cannot carry. */
export interface EncodedRequest {
  body: Record<string, unknown>;
  dropped: string[];
}
