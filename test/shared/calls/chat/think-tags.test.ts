/** Reasoning inside the text, whole and streamed: both read it alike, wherever the stream is cut. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ChatEvent, foldEvents } from "#shared/calls/chat/event.ts";
import type { ChatReply } from "#shared/calls/chat/reply.ts";
import type { AssistantPart } from "#shared/calls/chat/request.ts";
import { createThinkSplitter, splitThinking } from "#shared/calls/chat/think-tags.ts";

const head = { id: "1", created: 1 };
const reply = (parts: AssistantPart[]): ChatReply => ({ ...head, parts, stop_reason: "stop" });
const whole = (text: string) => splitThinking(reply([{ type: "text", text }])).parts;

function streamed(pieces: string[], after: ChatEvent[] = []): AssistantPart[] {
  const events: ChatEvent[] = [
    { type: "reply-start", ...head },
    ...pieces.map((text): ChatEvent => ({ type: "text-delta", text })),
    ...after,
    { type: "reply-end", stop_reason: "stop" },
  ];
  return foldEvents(events.flatMap(createThinkSplitter())).parts;
}

const said = (text: string): AssistantPart => ({ type: "text", text });
const thought = (text: string): AssistantPart => ({ type: "reasoning", text });

const cases: [text: string, parts: AssistantPart[]][] = [
  ["<think>\nSum it.\n</think>\n\n4", [thought("Sum it."), said("4")]],
  ["\n<think>a\n\nb</think>c", [thought("a\n\nb"), said("c")]],
  ["<think></think>c", [said("c")]],
  ["<think> \n </think>\nc", [said("c")]],
  ["<think>a</think>\n<think>b</think>c", [thought("a"), thought("b"), said("c")]],
  ["<think>cut off", [thought("cut off")]],
  ["<think>a < b </thin", [thought("a < b </thin")]],
  ["<think>a</think>", [thought("a")]],
  ["Write <think>x</think> so.", [said("Write <think>x</think> so.")]],
  ["<thinking>no</thinking>", [said("<thinking>no</thinking>")]],
  ["<think", [said("<think")]],
  ["  two spaces", [said("  two spaces")]],
  ["</think>a", [said("</think>a")]],
];

describe("reasoning between tags", () => {
  test.each(cases)("%j", (text, parts) => {
    expect(whole(text)).toEqual(parts);
    expect(streamed([text])).toEqual(parts);
    expect(streamed([...text])).toEqual(parts);
  });

  test("is read alike in any pieces", () => {
    const piece = fc.constantFrom("<think>", "</think>", "<", "thi", "nk>", "</", " ", "\n", "a", "b c", ">");
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.array(fc.nat(3), { maxLength: 60 }),
        (words, cuts) => {
          const text = words.join("");
          const pieces: string[] = [];
          for (let at = 0, cut = 0; at < text.length; at += pieces.at(-1)?.length ?? 1) {
            pieces.push(text.slice(at, at + 1 + (cuts[cut++] ?? 0)));
          }
          expect(streamed(pieces)).toEqual(whole(text));
        },
      ),
      { seed: 5, numRuns: 3_000 },
    );
  });

  test("ends before a call, and text behind the call may begin with a thought again", () => {
    const call: ChatEvent[] = [
      { type: "tool-call-start", index: 0, id: "c", name: "f" },
      { type: "tool-call-end", index: 0 },
      { type: "text-delta", text: "<think>b</think>d" },
    ];
    expect(streamed(["<think>a"], call)).toEqual([
      thought("a"),
      { type: "tool_call", id: "c", name: "f", arguments: "{}" },
      thought("b"),
      said("d"),
    ]);
  });

  test("of parts that are reasoning already nothing changes", () => {
    const parts: AssistantPart[] = [{ type: "reasoning", text: "<think>x", signature: "s" }];
    expect(splitThinking(reply(parts)).parts).toEqual(parts);
  });
});
