/**
 * What each protocol's strictest vendor takes (crossings.md "Bounds"). Tests' providers (`infra/local/demo/strictness`)
 * are written from the vendors' own words, and not from this table.
 */
import type { CallIdForm } from "../../../books/catalog/traits.ts";
import type { CrossingName } from "../crossing.ts";
import type { SchemaForm } from "./schemas.ts";

export interface NameForm {
  /** Names of this form stay as they are. */
  pattern: RegExp;
  /** What may stand nowhere in a name. */
  other: RegExp;
  /** Where a name must begin with a letter or an underscore. */
  letter_first?: true;
  /** The most characters. */
  most: number;
  /** A name that is not of this form becomes so many digits of its digest, and nothing else. */
  digest?: true;
}

export interface ProtocolBounds {
  /** Names of tools, and of the schema of an answer. */
  name: NameForm;
  /** Ids of tool calls in the conversation. Absent: the room writes them in a form of its own, or any id is taken. */
  call_id?: NameForm;
  /** Schemas of tools. */
  schema: SchemaForm;
  /** Of a strict schema: objects are closed, or require all their members as well. Absent: nothing. */
  strict?: "closed" | "all_required";
  /** Each name of a tool may stand once. */
  unique_tools?: true;
  /** A file must be a PDF. One of text is sent as its words. */
  pdf_files?: true;
  /** Each id of a call may stand once in the conversation. */
  unique_calls?: true;
  /** A conversation with calls must give tools. */
  called_tools?: true;
  /** A text must have a character that is no space, and the last turn may not end in one. */
  spoken_texts?: true;
  /** The most stop sequences, where a model's traits say nothing of them; 0 where the protocol has none. */
  stops_most?: number;
  /** The most characters of the end user's name. Absent: the protocol has none, or takes all that the gateway does. */
  user_chars?: number;
}

const words = (most: number): NameForm => ({
  pattern: new RegExp(`^[a-zA-Z0-9_-]{1,${most}}$`),
  other: /[^a-zA-Z0-9_-]/gu,
  most,
});

/** Any text, up to a length. */
const short = (most: number): NameForm => ({
  pattern: new RegExp(`^.{1,${most}}$`, "su"),
  other: /(?!)/gu,
  most,
});

/** Forms of ids that single vendors want. */
export const callIds: Record<CallIdForm, NameForm> = {
  alphanumeric_9: { pattern: /^[a-zA-Z0-9]{9}$/, other: /[^a-zA-Z0-9]/gu, most: 9, digest: true },
};

const openaiSchema: SchemaForm = { plain_root: true, complete: true };

export const bounds: Record<CrossingName, ProtocolBounds> = {
  "openai-chat": {
    name: words(64),
    call_id: short(40),
    user_chars: 64,
    stops_most: 4,
    pdf_files: true,
    schema: openaiSchema,
    strict: "all_required",
  },
  "openai-responses": {
    name: words(64),
    call_id: short(64),
    user_chars: 64,
    stops_most: 0,
    schema: openaiSchema,
    strict: "all_required",
  },
  anthropic: {
    name: words(128),
    schema: { plain_root: true },
    strict: "closed",
    unique_tools: true,
    unique_calls: true,
    called_tools: true,
    spoken_texts: true,
  },
  gemini: {
    name: {
      pattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
      other: /[^a-zA-Z0-9_.:-]/gu,
      letter_first: true,
      most: 64,
    },
    schema: { plain_root: true, beside_ref: ["description", "default", "$defs"] },
    unique_tools: true,
    stops_most: 5,
  },
  "bedrock-converse": {
    name: words(64),
    call_id: words(64),
    schema: { plain_root: true },
    strict: "closed",
    unique_tools: true,
    unique_calls: true,
    called_tools: true,
    spoken_texts: true,
  },
};
