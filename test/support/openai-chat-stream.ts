/** A strict reader of OpenAI chat streams, written from their grammar (protocols.md §1.3) and from nothing of ours. */
import { expect } from "vitest";

interface Fragment {
  index: number;
  id?: string;
  type?: string;
  function: { name?: string; arguments: string };
}

interface Chunk {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: { index: number; delta: Record<string, unknown>; finish_reason: string | null }[];
  usage?: Record<string, unknown>;
}

interface ReadStream {
  id: string;
  created: number;
  model: string;
  content: string;
  refusal: string;
  reasoning: string;
  calls: { id: string; name: string; arguments: string }[];
  finish: string;
  usage: Record<string, unknown> | undefined;
}

/** Reads a whole stream and fails the test on anything the grammar does not allow. */
export function readOpenaiChatStream(bytes: Buffer): ReadStream {
  const text = bytes.toString();
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  const frames = text.slice(0, -"data: [DONE]\n\n".length).split("\n\n").slice(0, -1);
  const chunks = frames.map((frame) => {
    expect(frame).toMatch(/^data: \{[^\r\n]*\}$/);
    return JSON.parse(frame.slice("data: ".length)) as Chunk;
  });
  const [first] = chunks;
  const { id = "", created = 0, model = "" } = first ?? {};
  expect(id).toMatch(/^chatcmpl-./);
  expect(first?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
  for (const chunk of chunks) {
    expect(chunk).toMatchObject({ id, created, model, object: "chat.completion.chunk" });
  }
  const last = chunks.at(-1)?.choices.length === 0 ? chunks.pop() : undefined;
  const ending = chunks.pop();
  expect(ending?.choices).toMatchObject([{ index: 0, delta: {} }]);
  expect(Object.keys(ending?.choices[0]?.delta ?? {})).toEqual([]);
  const read: ReadStream = {
    id,
    created,
    model,
    content: "",
    refusal: "",
    reasoning: "",
    calls: [],
    finish: ending?.choices[0]?.finish_reason ?? "",
    usage: last?.usage,
  };
  for (const { choices, usage } of chunks) {
    expect(usage ?? null).toBeNull();
    expect(choices).toMatchObject([{ index: 0, finish_reason: null }]);
    readDelta(read, choices[0]?.delta ?? {});
  }
  for (const call of read.calls) JSON.parse(call.arguments);
  return read;
}

function readDelta(read: ReadStream, delta: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(delta)) {
    switch (name) {
      case "role":
        break;
      case "content":
        read.content += value as string;
        break;
      case "refusal":
        read.refusal += value as string;
        break;
      case "reasoning_content":
        read.reasoning += value as string;
        break;
      case "reasoning_details":
        for (const detail of value as object[]) expect(detail).toHaveProperty("index");
        break;
      case "tool_calls":
        for (const fragment of value as Fragment[]) readFragment(read, fragment);
        break;
      default:
        expect.unreachable(`delta.${name}`);
    }
  }
}

/** The first fragment of a call names it, and calls are counted over the stream; later ones bring arguments only. */
function readFragment(read: ReadStream, fragment: Fragment): void {
  const { index, id, type, function: named } = fragment;
  const call = read.calls[index];
  if (call) {
    expect(Object.keys(fragment)).toEqual(["index", "function"]);
    expect(Object.keys(named)).toEqual(["arguments"]);
    call.arguments += named.arguments;
    return;
  }
  expect(index).toBe(read.calls.length);
  expect([type, typeof id, typeof named.name]).toEqual(["function", "string", "string"]);
  read.calls.push({ id: id ?? "", name: named.name ?? "", arguments: named.arguments });
}
