/** A strict reader of Anthropic streams, written from their grammar (protocols.md §2.3) and from nothing of ours. */
import { expect } from "vitest";

type Json = Record<string, unknown>;

interface ReadMessage {
  id: string;
  model: string;
  content: Json[];
  stop_reason: string;
  stop_sequence: string | null;
  stop_details?: Json;
  usage: Json;
}

const counters = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"];

/** Reads a whole stream and fails the test on anything the grammar does not allow. */
export function readAnthropicStream(bytes: Buffer): ReadMessage {
  const frames = bytes.toString().split("\n\n");
  expect(frames.pop()).toBe("");
  const events = frames.map((frame) => {
    const [, name = "", data = ""] = /^event: (\w+)\ndata: (\{[^\n]*\})$/.exec(frame) ?? [];
    const event = JSON.parse(data) as Json;
    expect(event.type).toBe(name);
    return event;
  });
  const [start = {}, ...rest] = events;
  expect(start.type).toBe("message_start");
  const message = start.message as Json;
  expect(message).toMatchObject({
    type: "message",
    role: "assistant",
    content: [],
    stop_reason: null,
    stop_sequence: null,
  });
  expect(message.id).toMatch(/^msg_./);
  for (const name of counters) expect((message.usage as Json)[name]).toBeTypeOf("number");
  expect(rest.pop()).toEqual({ type: "message_stop" });
  const delta = rest.pop() ?? {};
  expect(delta.type).toBe("message_delta");
  for (const name of counters) expect((delta.usage as Json)[name]).toBeTypeOf("number");
  const ending = delta.delta as Pick<ReadMessage, "stop_reason" | "stop_sequence">;
  expect(ending.stop_reason).toBeTypeOf("string");
  return {
    id: message.id as string,
    model: message.model as string,
    content: readBlocks(rest),
    ...ending,
    usage: delta.usage as Json,
  };
}

/** Blocks one after the other, counted from 0, each opened, filled and closed before the next. */
function readBlocks(events: Json[]): Json[] {
  const blocks: Json[] = [];
  let open: { block: Json; input: string; signed: boolean } | undefined;
  for (const { type, index, content_block, delta } of events) {
    if (type === "content_block_start") {
      expect(open).toBeUndefined();
      expect(index).toBe(blocks.length);
      open = { block: { ...(content_block as Json) }, input: "", signed: false };
      continue;
    }
    expect(index).toBe(blocks.length);
    if (!open) return expect.unreachable(`${String(type)} without an open block`);
    if (type === "content_block_stop") {
      blocks.push(closed(open));
      open = undefined;
      continue;
    }
    expect(type).toBe("content_block_delta");
    fill(open, delta as Json);
  }
  expect(open).toBeUndefined();
  return blocks;
}

function fill(open: { block: Json; input: string; signed: boolean }, delta: Json): void {
  const { block } = open;
  // A signature is a block's last delta.
  expect(open.signed).toBe(false);
  switch (`${String(block.type)} ${String(delta.type)}`) {
    case "text text_delta":
      expect(delta.text).not.toBe("");
      block.text = `${String(block.text)}${String(delta.text)}`;
      break;
    case "thinking thinking_delta":
      block.thinking = `${String(block.thinking)}${String(delta.thinking)}`;
      break;
    case "thinking signature_delta":
      block.signature = delta.signature;
      open.signed = true;
      break;
    case "tool_use input_json_delta":
      open.input += String(delta.partial_json);
      break;
    default:
      expect.unreachable(`${String(delta.type)} in a block of type ${String(block.type)}`);
  }
}

function closed({ block, input }: { block: Json; input: string }): Json {
  if (block.type === "text") expect(block.text).not.toBe("");
  if (block.type !== "tool_use") return block;
  expect(block.id).toMatch(/^[a-zA-Z0-9_-]+$/);
  expect(block.input).toEqual({});
  return input === "" ? block : { ...block, input: JSON.parse(input) as unknown };
}
