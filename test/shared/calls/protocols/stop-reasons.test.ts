/** A provider's reason to stop is a word that nobody here may know, such as one that every object inherits. */
import { expect, test } from "vitest";
import { decodeEnding } from "#shared/calls/protocols/anthropic/crossing/ending.ts";
import { stopReasonOf } from "#shared/calls/protocols/gemini/crossing/finish.ts";

test.each(["toString", "constructor", "__proto__", "NEW_REASON"])("%s is an end like any other", (word) => {
  expect(stopReasonOf(word, false)).toBe("stop");
  expect(stopReasonOf(word, true)).toBe("tool_calls");
  expect(decodeEnding({ stop_reason: word })).toEqual({ stop_reason: "stop" });
});

test("known words keep their meaning", () => {
  expect(stopReasonOf("MAX_TOKENS", true)).toBe("length");
  expect(decodeEnding({ stop_reason: "max_tokens" })).toEqual({ stop_reason: "length" });
});
