/** A Responses stream that is stopped (billing.md §2.5, protocols.md §1.6). */
import { asText, type Fields, isObject } from "../../../../base/json/fields.ts";
import { frameObject, renderFrame } from "../../../../base/sse/frames.ts";
import type { StreamStopper } from "../../streaming.ts";
import { endings } from "../crossing/ending.ts";
import { renderError } from "./stream.ts";

/** An item or a part, as its events have given it so far. */
interface OpenPiece {
  fields: Fields;
  /** `said`: its text is done. `done`: the whole of it is done. */
  said: boolean;
  done: boolean;
}

interface Part extends OpenPiece {
  kind: PartKind;
  index: number;
}

interface OpenItem extends OpenPiece {
  parts: Part[];
}

interface State {
  /** The number of the next event. */
  sequence: number;
  response: Fields | undefined;
  /** By output index. */
  items: Map<number, OpenItem>;
}

/** The lists of parts an item can have. */
const partKinds = [
  { list: "content", index: "content_index", event: "response.content_part" },
  { list: "summary", index: "summary_index", event: "response.reasoning_summary_part" },
] as const;
type PartKind = (typeof partKinds)[number];

/** The text of each type of part or item: its field, and what the events about it are called. */
const texts: Record<string, { event: string; field: string }> = {
  output_text: { event: "response.output_text", field: "text" },
  refusal: { event: "response.refusal", field: "refusal" },
  reasoning_text: { event: "response.reasoning_text", field: "text" },
  summary_text: { event: "response.reasoning_summary_text", field: "text" },
  function_call: { event: "response.function_call_arguments", field: "arguments" },
  custom_tool_call: { event: "response.custom_tool_call_input", field: "input" },
};

/** Ends all that is open, then the response, as incomplete with all that it holds and without usage; then the error. */
export function createStopper(): StreamStopper {
  const state: State = { sequence: 0, response: undefined, items: new Map() };
  return {
    follow(frame) {
      const event = frameObject(frame);
      if (event) follow(event, state);
    },
    end({ style, key, detail }) {
      const frames = lastEvents(state).map(({ type, ...fields }) => {
        const event = { type, sequence_number: state.sequence++, ...fields };
        return renderFrame(JSON.stringify(event), type);
      });
      return [...frames, renderError(style, key, state.sequence, detail)];
    },
  };
}

function follow(event: Fields, state: State): void {
  const { type, sequence_number, response, output_index, item } = event;
  if (Number.isSafeInteger(sequence_number)) state.sequence = (sequence_number as number) + 1;
  if (isObject(response)) state.response = response;
  if (typeof output_index !== "number") return;
  const known = state.items.get(output_index);
  if (isObject(item)) {
    const done = type === "response.output_item.done";
    state.items.set(output_index, { fields: item, said: done, done, parts: [] });
  } else if (known) followItem(event, known);
}

function followItem(event: Fields, item: OpenItem): void {
  const kind = partKinds.find((each) => typeof event[each.index] === "number");
  if (!kind) {
    followText(event, item);
    return;
  }
  const index = event[kind.index] as number;
  const known = item.parts.find((part) => part.kind === kind && part.index === index);
  const { type, part: fields } = event;
  if (isObject(fields)) {
    const done = type === `${kind.event}.done`;
    if (known) Object.assign(known, { fields, done });
    else item.parts.push({ fields, said: done, done, kind, index });
  } else if (known) followText(event, known);
}

function followText({ type, delta, annotation }: Fields, told: OpenPiece): void {
  const { annotations } = told.fields;
  if (isObject(annotation) && Array.isArray(annotations)) annotations.push(annotation);
  const text = textOf(told);
  if (!text) return;
  const { event, field } = text;
  if (type === `${event}.delta`) told.fields[field] = asText(told.fields[field]) + asText(delta);
  if (type === `${event}.done`) told.said = true;
}

function textOf({ fields }: OpenPiece): { event: string; field: string } | undefined {
  return texts[asText(fields.type)];
}

type Event = Fields & { type: string };

function lastEvents({ response, items }: State): Event[] {
  const inOrder = [...items].sort(([one], [other]) => one - other);
  const output = inOrder.map(([, item]) => wholeItem(item));
  const closing = inOrder.flatMap(([output_index, item]) => (item.done ? [] : closeItem(item, output_index)));
  return [
    ...closing,
    ...(response
      ? [{ type: "response.incomplete", response: { ...response, ...endings.length, output } }]
      : []),
  ];
}

/** An item as it is when its response ends. */
function wholeItem({ fields, done, parts }: OpenItem): Fields {
  if (done) return fields;
  const told = partKinds.map((kind) => ({ kind, own: parts.filter((part) => part.kind === kind) }));
  const lists = told.filter(({ own }) => own.length > 0);
  return {
    ...fields,
    ...Object.fromEntries(lists.map(({ kind, own }) => [kind.list, own.map((part) => part.fields)])),
    ...("status" in fields ? { status: endings.length.status } : {}),
  };
}

/** The events that an open item still needs. */
function closeItem(item: OpenItem, output_index: number): Event[] {
  const place = { item_id: item.fields.id, output_index };
  const { name } = item.fields;
  const closing = item.parts.flatMap((part): Event[] => {
    const where = { ...place, [part.kind.index]: part.index };
    if (part.done) return [];
    return [...sayText(part, where), { type: `${part.kind.event}.done`, ...where, part: part.fields }];
  });
  return [
    ...closing,
    ...sayText(item, { ...place, ...(name === undefined ? {} : { name }) }),
    { type: "response.output_item.done", output_index, item: wholeItem(item) },
  ];
}

function sayText(told: OpenPiece, where: Fields): Event[] {
  const text = told.said ? undefined : textOf(told);
  if (!text) return [];
  const { event, field } = text;
  const probabilities = told.fields.type === "output_text" ? { logprobs: [] } : {};
  return [{ type: `${event}.done`, ...where, [field]: told.fields[field] ?? "", ...probabilities }];
}
