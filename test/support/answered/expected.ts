/** What a client must see of an answer, by the words of its own protocol (protocols.md §6.3, §6.4). */
import { expect } from "vitest";
import { untag } from "#shared/calls/chat/signature.ts";
import type { CrossingName } from "#shared/calls/protocols/crossing.ts";
import { type Call, type Counts, callsIn, type Said, thoughtsIn, type Why, wordsIn } from "./said.ts";
import type { AnsweredClient, Seen } from "./seen.ts";

type Told = Exclude<Why, "sequence"> | "called";

/** The client's word for each ending. */
const words: Record<CrossingName, Record<Told, string>> = {
  "openai-chat": {
    done: "stop",
    called: "tool_calls",
    length: "length",
    filtered: "content_filter",
    paused: "stop",
  },
  anthropic: {
    done: "end_turn",
    called: "tool_use",
    length: "max_tokens",
    filtered: "refusal",
    paused: "pause_turn",
  },
  "bedrock-converse": {
    done: "end_turn",
    called: "tool_use",
    length: "max_tokens",
    filtered: "content_filtered",
    paused: "end_turn",
  },
  gemini: { done: "STOP", called: "STOP", length: "MAX_TOKENS", filtered: "SAFETY", paused: "OTHER" },
  "openai-responses": {
    done: "completed",
    called: "completed",
    length: "incomplete max_output_tokens",
    filtered: "incomplete content_filter",
    paused: "completed",
  },
};

/** Protocols that have no answer with a refusal beside another ending. */
const endsRefused: Partial<Record<CrossingName, true>> = {
  anthropic: true,
  gemini: true,
  "bedrock-converse": true,
};

/** Clients that know an answer's call by the form of Anthropic's ids, with which a signature may ride. */
const ridesWithIds: Partial<Record<CrossingName, true>> = { anthropic: true, "bedrock-converse": true };

/** Clients that get every counter, of which those that nobody told are 0. */
export const countsAlways = ridesWithIds;

function stopOf(client: CrossingName, said: Said): string {
  if (said.refusal !== undefined && endsRefused[client]) return words[client].filtered;
  const why = said.why === "sequence" ? "done" : said.why;
  return words[client][why === "done" && callsIn(said).length > 0 ? "called" : why];
}

/**
 * Clients that have no place for a refusal's words. Google's SDK keeps them to itself, so they are the text of an answer
 * that has none. In Converse they stand behind the text.
 */
const tellsRefusals: Partial<Record<CrossingName, "alone" | "behind">> = {
  gemini: "alone",
  "bedrock-converse": "behind",
};

/** Spaces and lines between two thoughts are nobody's words. */
const dense = (text: string): string => text.replace(/\s/g, "");

/** Converse does not tell how much of an answer was reasoning. */
function countsOf(
  client: CrossingName,
  { fresh, cached, stored, output, reasoned = 0 }: Counts,
): Seen["counts"] {
  const told = client === "bedrock-converse" ? 0 : reasoned;
  return { input: fresh + cached + stored, cached, output, reasoned: told };
}

/** The counters that nobody told. */
export const nothing = { input: 0, cached: 0, output: 0, reasoned: 0 };

function expectCall(
  client: CrossingName,
  given: AnsweredClient,
  seen: Seen["calls"][number],
  call: Call,
): void {
  const tool = given.tools[call.tool];
  expect(seen.name).toBe(tool?.name ?? "stranger");
  expect(seen.namespace).toBe(tool?.namespace);
  const args = call.broken ? call.args : (JSON.parse(call.args) as { input?: unknown });
  if (tool?.takes_text) {
    expect(seen.args).toBe(
      typeof args === "object" && typeof args.input === "string" ? args.input : call.args,
    );
  } else if (!call.broken) expect(seen.args).toEqual(args);
  // A part of an object is no object. Those who have texts keep it, and the others get an object.
  else if (client !== "openai-chat" && client !== "openai-responses") expect(seen.args).toBeTypeOf("object");
  else expect(seen.args).toBe(call.args);
}

/** Ids stay as they are where they are of the client's form. */
function expectId(client: CrossingName, seen: string, { id }: Call): void {
  if (!ridesWithIds[client]) expect(seen).toBe(id);
  else {
    expect(seen).toMatch(/^[a-zA-Z0-9_-]+$/);
    if (/^[a-zA-Z0-9_-]+$/.test(id)) expect(seen.split("__signed_")[0]).toBe(id);
  }
}

/** Neighbouring texts are one, and calls are counted. */
function orderOf(said: Said): string[] {
  const order: string[] = [];
  let calls = 0;
  let open = false;
  for (const part of said.parts) {
    if (part.kind === "thought") continue;
    if (part.kind === "call") order.push(`call ${calls++}`);
    else if (open) order.push(`${order.pop()}${part.text}`);
    else order.push(`text ${part.text}`);
    open = part.kind === "text";
  }
  return order;
}

/** Texts that stand beside each other are one; calls are counted, since their ids are looked at elsewhere. */
function joined(order: string[]): string[] {
  const out: string[] = [];
  let calls = 0;
  for (const each of order) {
    if (each.startsWith("call ")) out.push(`call ${calls++}`);
    else if (out.at(-1)?.startsWith("text ")) out.push(`${out.pop()}${each.slice("text ".length)}`);
    else out.push(each);
  }
  return out;
}

const signed = (signatures: readonly (string | undefined)[]): string[] =>
  signatures.flatMap((each) => untag(each)?.signature || []);

/** Fails where the client sees anything else than what was said. `own_ids`: the provider gave its calls ids. */
export function expectSeen(
  client: CrossingName,
  given: AnsweredClient,
  seen: Seen,
  said: Said,
  own_ids: boolean,
): void {
  const isSilent = said.parts.every(({ kind }) => kind === "thought");
  const isTold = tellsRefusals[client] !== undefined && said.refusal !== undefined;
  const told = tellsRefusals[client] === "behind" ? wordsIn(said) + said.refusal : said.refusal;
  const isHeard = isTold && (isSilent || tellsRefusals[client] === "behind");
  expect(seen.text).toBe(isHeard ? told : wordsIn(said));
  expect(seen.refusal ?? "").toBe(isTold ? "" : (said.refusal ?? ""));
  expect(seen.stop).toBe(stopOf(client, said));
  expect(dense(seen.thoughts)).toBe(
    dense(
      thoughtsIn(said)
        .map(({ text }) => text)
        .join(""),
    ),
  );
  expect(signed(seen.signatures)).toEqual(thoughtsIn(said).flatMap(({ signature }) => signature ?? []));
  const calls = callsIn(said);
  expect(seen.calls).toHaveLength(calls.length);
  for (const [at, call] of calls.entries()) {
    const each = seen.calls[at] as Seen["calls"][number];
    expectCall(client, given, each, call);
    if (own_ids) expectId(client, each.id, call);
    expect(each.id).toMatch(/./);
    if (!ridesWithIds[client]) expect(signed([each.signature])[0]).toBe(call.signature);
  }
  expect(new Set(seen.calls.map(({ id }) => id)).size).toBe(calls.length);
  if (seen.order && !isTold) expect(joined(seen.order)).toEqual(orderOf(said));
  expect(seen.counts).toEqual(
    said.counts ? countsOf(client, said.counts) : countsAlways[client] ? nothing : undefined,
  );
}
