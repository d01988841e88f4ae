/**
 * What a model says in one answer, whatever the protocol. Each vendor's file beside this one first takes out what its
 * vendor never gives (`within`), and then writes the rest as that vendor does, whole and streamed. These files are
 * written from the vendors' documents (protocols.md §1–3), and not with the product's encoders.
 */
import fc from "fast-check";

export type Json = Record<string, unknown>;

export interface Words {
  kind: "text";
  text: string;
}

export interface Thought {
  kind: "thought";
  text: string;
  signature?: string;
  /** The text was kept back: only the signature is there. */
  redacted?: true;
}

export interface Call {
  kind: "call";
  id: string;
  /** Which of the client's tools is called. */
  tool: number;
  /** An object as JSON. A model that reached its length may have left it unfinished (`broken`). */
  args: string;
  broken?: true;
  signature?: string;
}

/** Why an answer ended, in words that no vendor has. */
export type Why = "done" | "sequence" | "length" | "filtered" | "paused";

/** Disjoint counts of tokens; `reasoned` is part of the output. */
export interface Counts {
  fresh: number;
  cached: number;
  stored: number;
  output: number;
  reasoned?: number;
}

/** Odd forms that are legal. What each means is for the vendor's file. */
interface Odd {
  /** Letters of a piece in a stream. */
  piece: number;
  /** Lengths of the reads, in bytes. */
  reads: number[];
  /** Frames that end in CRLF, as Google's do. */
  crlf: boolean;
  /** Pings and comments between the frames. */
  pings: boolean;
  /** Members that the documents have and that say nothing here. */
  extras: boolean;
  /** What may be left out is left out. */
  bare: boolean;
  /** Null where a member may be null. */
  nulls: boolean;
  /** Things that may come in one frame do. */
  together: boolean;
  /** The pieces of parallel calls come in turns. */
  woven: boolean;
  /** Another choice or candidate stands beside the first. */
  second: boolean;
}

export interface Said {
  id: string;
  parts: (Words | Thought | Call)[];
  /** What the model said in place of an answer. */
  refusal?: string;
  why: Why;
  counts?: Counts;
  odd: Odd;
}

/** How a vendor says it. */
export interface Vendor {
  /** What this vendor gives of it. */
  within(said: Said, streamed: boolean): Said;
  /** A whole answer. `names` are those that the vendor was told of the client's tools. */
  whole(said: Said, names: readonly string[]): Json;
  /** The frames of a stream, with their ends of lines. */
  frames(said: Said, names: readonly string[]): string[];
}

const text = fc.oneof(
  fc.constantFrom("Hello", " ", "\n\n", "Sì, «così» 😀", '{"a":1}', "data: [DONE]\n\n", "  two  "),
  fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }),
);

const words = text.map((said): Words => ({ kind: "text", text: said }));

const signature = fc.base64String({ minLength: 4, maxLength: 24 });

const thought: fc.Arbitrary<Thought> = fc.oneof(
  fc.constantFrom("Let me see.", "First.\n\nThen.").map((said): Thought => ({ kind: "thought", text: said })),
  fc
    .tuple(fc.constantFrom("", "Well…"), signature)
    .map(([said, by]): Thought => ({ kind: "thought", text: said, signature: by })),
  signature.map((by): Thought => ({ kind: "thought", text: "", signature: by, redacted: true })),
);

const value = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.integer(),
  fc.constantFrom<unknown>(null, true, 1.5, [], {}, ["a", { b: null }], "\u2028", '"', "\\"),
);

const args = fc
  .dictionary(fc.constantFrom("city", "n", "input", "type", "deep"), value, {
    maxKeys: 3,
    noNullPrototype: true,
  })
  .map((given) => JSON.stringify(given));

/** How many tools the clients of the tests have, and one more that was never told. */
const toolCount = 3;

const call = fc.record({
  tool: fc.nat(toolCount),
  args,
  odd_id: fc.constantFrom("", "", "toolu_01:", "call.", "functions.f:"),
  signature: fc.option(signature, { nil: undefined }),
});

const counts: fc.Arbitrary<Counts> = fc
  .record({
    fresh: fc.integer({ min: 1, max: 9_000 }),
    cached: fc.constantFrom(0, 0, 7, 1_024),
    stored: fc.constantFrom(0, 0, 5, 2_048),
    output: fc.integer({ min: 0, max: 9_000 }),
    reasoned: fc.option(fc.nat(100), { nil: undefined }),
  })
  .map(({ reasoned, ...rest }) => ({
    ...rest,
    ...(reasoned !== undefined && { reasoned: Math.min(reasoned, rest.output) }),
  }));

const odd: fc.Arbitrary<Odd> = fc.record({
  piece: fc.integer({ min: 1, max: 9 }),
  reads: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 4 }),
  crlf: fc.boolean(),
  pings: fc.boolean(),
  extras: fc.boolean(),
  bare: fc.boolean(),
  nulls: fc.boolean(),
  together: fc.boolean(),
  woven: fc.boolean(),
  second: fc.boolean(),
});

/** Everything that any vendor may say. */
export const anySaid: fc.Arbitrary<Said> = fc
  .record({
    id: fc.stringMatching(/^[a-zA-Z0-9]{4,12}$/),
    thoughts: fc.array(thought, { maxLength: 2 }),
    said: fc.array(words, { maxLength: 3 }),
    calls: fc.array(call, { maxLength: 4 }),
    mixed: fc.boolean(),
    broken: fc.boolean(),
    refusal: fc.option(fc.constantFrom("I can't help with that.", "Nein 😐"), { nil: undefined, freq: 5 }),
    why: fc.constantFrom<Why>("done", "done", "done", "sequence", "length", "filtered", "paused"),
    counts: fc.option(counts, { nil: undefined, freq: 6 }),
    odd,
  })
  .map(({ thoughts, said, calls, mixed, broken, refusal, why, counts: counted, ...rest }): Said => {
    const called = calls.map(({ odd_id, signature: by, ...each }, at): Call => {
      const isBroken = broken && why === "length" && at === calls.length - 1 && each.args.length > 3;
      return {
        kind: "call",
        id: `${odd_id}call_${at}`,
        ...each,
        ...(isBroken && { args: each.args.slice(0, -2), broken: true as const }),
        ...(by !== undefined && { signature: by }),
      };
    });
    // Words between and behind the calls are rare, and legal in most protocols.
    const behind = mixed ? said.slice(1) : [];
    const before = mixed ? said.slice(0, 1) : said;
    return {
      ...rest,
      parts: [...thoughts, ...before, ...called.slice(0, 1), ...behind, ...called.slice(1)],
      why,
      ...(refusal !== undefined && { refusal }),
      ...(counted && { counts: counted }),
    };
  });

export const callsIn = ({ parts }: Said): Call[] => parts.filter((part) => part.kind === "call");
/** The same answer without its other calls. */
export function withFirstCall(said: Said): Said {
  const [first] = callsIn(said);
  return { ...said, parts: said.parts.filter((part) => part.kind !== "call" || part === first) };
}
export const thoughtsIn = ({ parts }: Said): Thought[] => parts.filter((part) => part.kind === "thought");
export const wordsIn = ({ parts }: Said): string =>
  parts.map((part) => (part.kind === "text" ? part.text : "")).join("");

/** A text in pieces of so many letters; no letter is cut. */
export function pieces(said: string, length: number): string[] {
  const letters = [...said];
  return Array.from({ length: Math.ceil(letters.length / length) }, (_, at) =>
    letters.slice(at * length, (at + 1) * length).join(""),
  );
}

/** A call as it is when the model had time to finish it. */
export function finished({ broken: _, ...given }: Call): Call {
  return broken(given.args) ? { ...given, args: "{}" } : given;
}

function broken(given: string): boolean {
  try {
    JSON.parse(given);
    return false;
  } catch {
    return true;
  }
}

/** Lists woven into one: the first of each, then the second of each. */
export function woven<Item>(lists: Item[][]): Item[] {
  const rounds = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
}

/** A frame of server-sent events. */
export function frame({ crlf }: Odd, data: Json | string, event?: string): string {
  const line = crlf ? "\r\n" : "\n";
  const told = typeof data === "string" ? data : JSON.stringify(data);
  return `${event === undefined ? "" : `event: ${event}${line}`}data: ${told}${line}${line}`;
}
