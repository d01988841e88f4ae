/**
 * A strict reader of Responses streams, written from protocols.md §1.6. It rebuilds every item from its deltas
 * alone. Then it compares each `done` event, each finished item and the last response with what it has built.
 */
import { expect } from "vitest";

type Fields = Record<string, unknown>;

interface WireEvent extends Fields {
  type: string;
  sequence_number: number;
}

/** The events of a stream: nothing but named frames with one line of JSON, counted from 0 without a gap. */
export function parseWire(bytes: Buffer): WireEvent[] {
  const frames = bytes.toString("utf8").split("\n\n");
  expect(frames.pop()).toBe("");
  return frames.map((frame, index) => {
    const lines = /^event: (.+)\ndata: (\{.*\})$/.exec(frame);
    expect(lines, `not a named frame: ${frame}`).not.toBeNull();
    const event = JSON.parse(lines?.[2] ?? "") as WireEvent;
    expect(event.type).toBe(lines?.[1]);
    expect(event.sequence_number).toBe(index);
    return event;
  });
}

interface Item extends Fields {
  id: string;
  type: string;
}

interface Progress {
  item: Item;
  done: boolean;
  /** The content or summary part under way. */
  part: Fields | undefined;
}

const lists: Record<string, string> = { message: "content", reasoning: "summary" };

function partsOf(item: Item): Fields[] {
  return item[lists[item.type] ?? ""] as Fields[];
}

/** Reads a whole stream that ends well, and gives its last response. Throws what vitest throws on any fault. */
export function readResponse(bytes: Buffer): Fields {
  const events = parseWire(bytes);
  const [created, progressing, ...rest] = events;
  const last = rest.pop();
  expect([created?.type, progressing?.type]).toEqual(["response.created", "response.in_progress"]);
  for (const event of [created, progressing]) {
    expect(event?.response).toMatchObject({ object: "response", status: "in_progress", output: [] });
  }
  const items: Progress[] = [];
  for (const event of rest) readItemEvent(event, items);
  expect(items.every(({ done }) => done)).toBe(true);
  const response = last?.response as Fields;
  expect(last?.type).toBe(`response.${response.status}`);
  expect(["completed", "incomplete"]).toContain(response.status);
  expect(response.incomplete_details === null).toBe(response.status === "completed");
  expect(response.output).toEqual(items.map(({ item }) => item));
  const ids = new Set(items.map(({ item }) => item.id));
  expect(ids.size).toBe(items.length);
  const first = created?.response as Fields;
  for (const name of ["id", "created_at", "model", "tools"]) expect(response[name]).toEqual(first[name]);
  return response;
}

/** Reads one event between the opening and the ending. Unknown types fail. */
function readItemEvent(event: WireEvent, items: Progress[]): void {
  const index = event.output_index as number;
  if (event.type === "response.output_item.added") {
    expect(index).toBe(items.length);
    // Messages stand one after the other; only calls may be under way side by side.
    for (const { item, done } of items) if (!done) expect(item.type).not.toBe("message");
    items.push({ item: event.item as Item, done: false, part: undefined });
    return;
  }
  const progress = items[index];
  if (!progress || progress.done) throw new Error(`an event for no open item: ${event.type}`);
  if (event.type === "response.output_item.done") {
    expect(progress.part).toBeUndefined();
    closeItem(progress, event.item as Item);
    return;
  }
  expect(event.item_id).toBe(progress.item.id);
  const { item } = progress;
  switch (event.type) {
    case "response.content_part.added":
    case "response.reasoning_summary_part.added":
      expect(progress.part).toBeUndefined();
      expect(event.content_index ?? event.summary_index).toBe(partsOf(item).length);
      progress.part = event.part as Fields;
      expect(textOf(progress.part)).toBe("");
      partsOf(item).push(progress.part);
      return;
    case "response.content_part.done":
    case "response.reasoning_summary_part.done":
      expect(event.part).toEqual(progress.part);
      progress.part = undefined;
      return;
    case "response.output_text.delta":
    case "response.refusal.delta":
    case "response.reasoning_summary_text.delta":
      addText(progress, event);
      return;
    case "response.output_text.done":
    case "response.refusal.done":
    case "response.reasoning_summary_text.done":
      expect(event.text ?? event.refusal).toBe(textOf(progress.part ?? {}));
      return;
    case "response.function_call_arguments.delta":
      expect(event.delta).not.toBe("");
      item.arguments = `${item.arguments}${event.delta}`;
      return;
    case "response.function_call_arguments.done":
      expect(event).toMatchObject({ arguments: item.arguments, name: item.name });
      expect(item.arguments).not.toBe("");
      return;
    default:
      throw new Error(`an event of unknown type: ${event.type}`);
  }
}

function textOf(part: Fields): unknown {
  return part.text ?? part.refusal;
}

function addText({ part, item }: Progress, event: WireEvent): void {
  const kind = { "response.output_text.delta": "output_text", "response.refusal.delta": "refusal" }[
    event.type
  ];
  expect(part?.type).toBe(kind ?? "summary_text");
  expect(event.content_index ?? event.summary_index).toBe(partsOf(item).length - 1);
  expect(event.delta).not.toBe("");
  const name = kind === "refusal" ? "refusal" : "text";
  if (part) part[name] = `${part[name]}${event.delta}`;
}

/** Only what deltas cannot tell may differ from what they built: the status, and what is encrypted. */
function closeItem(progress: Progress, item: Item): void {
  const { status, encrypted_content, ...told } = item;
  const { status: _, ...built } = progress.item;
  expect(told).toEqual(built);
  if (item.type !== "reasoning") expect(["completed", "incomplete"]).toContain(status);
  expect(["string", "undefined"]).toContain(typeof encrypted_content);
  progress.item = item;
  progress.done = true;
}
