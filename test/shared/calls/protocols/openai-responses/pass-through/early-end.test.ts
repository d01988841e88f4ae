/**
 * What a stopped Responses stream says of items that providers of it give besides text and calls, and
 * of ones half done.
 */
import { expect, test } from "vitest";
import { createStopper } from "#shared/calls/protocols/openai-responses/pass-through/early-end.ts";
import { framesIn } from "#test/support/crossed.ts";
import { namedFrame } from "#test/support/scenario.ts";

type Json = Record<string, unknown> & { type: string };

/** The events that end a stream of these, without the last, which is the error. */
function endOf(...events: Json[]): Json[] {
  const stopper = createStopper();
  for (const event of events) stopper.follow(Buffer.from(namedFrame(event)));
  const frames = stopper.end({ style: "openai", key: "insufficient_balance", output_tokens: 1 });
  return framesIn(frames.join("")).slice(0, -1) as Json[];
}

const created = { type: "response.created", response: { id: "resp_1", status: "in_progress", usage: null } };
const added = (output_index: number, item: object) => ({
  type: "response.output_item.added",
  output_index,
  item,
});
const message = { id: "msg_1", type: "message", role: "assistant", status: "in_progress", content: [] };
const where = { item_id: "msg_1", output_index: 0, content_index: 0 };
const part = (text: string) => ({ type: "output_text", text, annotations: [] as object[] });

test("what has been said to be done is not said again", () => {
  const opening = [
    created,
    added(0, message),
    { type: "response.content_part.added", ...where, part: part("") },
  ];
  const said = [
    { type: "response.output_text.delta", ...where, delta: "Hi" },
    { type: "response.output_text.done", ...where, text: "Hi" },
  ];
  const done = { type: "response.content_part.done", ...where, part: part("Hi") };
  const types = (events: Json[]) => events.map(({ type }) => type);
  const rest = ["response.output_item.done", "response.incomplete"];
  expect(types(endOf(...opening, ...said))).toEqual(["response.content_part.done", ...rest]);
  expect(types(endOf(...opening, ...said, done))).toEqual(rest);
  const whole = { ...message, status: "completed", content: [part("Hi")] };
  const item = { type: "response.output_item.done", output_index: 0, item: whole };
  const [last, ...none] = endOf(...opening, ...said, done, item);
  expect([last, none]).toMatchObject([{ type: "response.incomplete", response: { output: [whole] } }, []]);
});

test("a refusal, and a part as its end told it, are kept", () => {
  const annotation = { type: "url_citation", url: "https://example.com" };
  const second = { ...where, content_index: 1 };
  const events = endOf(
    created,
    added(0, message),
    { type: "response.content_part.added", ...where, part: part("") },
    { type: "response.output_text.delta", ...where, delta: "Hi" },
    { type: "response.output_text.done", ...where, text: "Hi" },
    { type: "response.content_part.done", ...where, part: { ...part("Hi"), annotations: [annotation] } },
    { type: "response.content_part.added", ...second, part: { type: "refusal", refusal: "" } },
    { type: "response.refusal.delta", ...second, delta: "No" },
  );
  const refusal = { type: "refusal", refusal: "No" };
  const content = [{ ...part("Hi"), annotations: [annotation] }, refusal];
  expect(events).toMatchObject([
    { type: "response.refusal.done", ...second, refusal: "No" },
    { type: "response.content_part.done", ...second, part: refusal },
    { type: "response.output_item.done", item: { ...message, status: "incomplete", content } },
    { type: "response.incomplete", response: { id: "resp_1", status: "incomplete", usage: null } },
  ]);
});

test("annotations of a text still open are kept too", () => {
  const annotation = { type: "url_citation", url: "https://example.com" };
  const [said, done] = endOf(
    created,
    added(0, message),
    { type: "response.content_part.added", ...where, part: part("") },
    { type: "response.output_text.annotation.added", ...where, annotation_index: 0, annotation },
  );
  expect(said).toMatchObject({ type: "response.output_text.done", ...where, text: "", logprobs: [] });
  expect(done).toMatchObject({ type: "response.content_part.done", part: { annotations: [annotation] } });
});

test("calls side by side are closed in their order, a provider's own item by its end alone", () => {
  const call = { id: "ct_1", type: "custom_tool_call", call_id: "call_1", name: "run", input: "" };
  const search = { id: "ws_1", type: "web_search_call", status: "searching" };
  const events = endOf(
    created,
    added(1, search),
    added(0, call),
    { type: "response.custom_tool_call_input.delta", item_id: "ct_1", output_index: 0, delta: "ls" },
    { type: "response.web_search_call.searching", item_id: "ws_1", output_index: 1 },
  );
  const output = [
    { ...call, input: "ls" },
    { ...search, status: "incomplete" },
  ];
  expect(events).toMatchObject([
    { type: "response.custom_tool_call_input.done", item_id: "ct_1", input: "ls" },
    { type: "response.output_item.done", output_index: 0, item: output[0] },
    { type: "response.output_item.done", output_index: 1, item: output[1] },
    { type: "response.incomplete", response: { output } },
  ]);
});

test("reasoning that is told in full is closed as content", () => {
  const place = { item_id: "rs_1", output_index: 0, content_index: 0 };
  const events = endOf(
    created,
    { ...created, type: "response.in_progress", response: { ...created.response, model: "m" } },
    added(0, { id: "rs_1", type: "reasoning", summary: [] }),
    { type: "response.content_part.added", ...place, part: { type: "reasoning_text", text: "" } },
    { type: "response.reasoning_text.delta", ...place, delta: "Hm." },
  );
  const content = [{ type: "reasoning_text", text: "Hm." }];
  const item = { id: "rs_1", type: "reasoning", summary: [], content };
  expect(events).toMatchObject([
    { type: "response.reasoning_text.done", ...place, text: "Hm." },
    { type: "response.content_part.done", ...place, part: content[0] },
    { type: "response.output_item.done", item },
    { type: "response.incomplete", response: { id: "resp_1", model: "m" } },
  ]);
  // It had no status before.
  expect(events[2]?.item).toEqual(item);
});
