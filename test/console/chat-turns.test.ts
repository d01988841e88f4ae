/** What a model is sent of a conversation, and how much it may write. */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { consoleBounds } from "../../console/bounds.ts";
import {
  bodyOf,
  type ChatTurn,
  isMost,
  latestTurns,
  namesOf,
  type TurnAnswer,
  type TurnModel,
} from "../../console/chat-turns.ts";

const asked = (text: string, pictures: string[] = []) => ({ text, pictures });
const model: TurnModel = { id: "acme/m", name: "M", isSeeing: true };
const blind = { ...model, isSeeing: false };
/** The messages of a call of the playground. */
const messagesOf = (system: string, turns: ChatTurn[], question: ReturnType<typeof asked>, of = model) => {
  const { messages } = bodyOf({ temperature: "", most: "", system }, of, turns, question) as {
    messages: object[];
  };
  return messages;
};
const turn = (text: string, answer: string, stage: TurnAnswer["stage"] = "done"): ChatTurn => ({
  asked: asked(text),
  answer: { model, stage, text: answer, reasoning: "hm" },
});

describe("the messages of a call", () => {
  test("are the system prompt, the turns before in order, and the question", () => {
    const turns = [turn("one", "1"), turn("two", "2", "stopped")];
    expect(messagesOf("Be short.", turns, asked("three"))).toEqual([
      { role: "system", content: "Be short." },
      { role: "user", content: "one" },
      { role: "assistant", content: "1" },
      { role: "user", content: "two" },
      { role: "assistant", content: "2" },
      { role: "user", content: "three" },
    ]);
  });

  test("leave out turns without an answer, with their questions, and an empty system prompt", () => {
    const turns = [turn("one", "", "failed"), turn("two", "", "stopped"), turn("three", "3")];
    expect(messagesOf("  ", turns, asked("four"))).toEqual([
      { role: "user", content: "three" },
      { role: "assistant", content: "3" },
      { role: "user", content: "four" },
    ]);
  });

  test("have the pictures of a question before its text, also of an earlier one", () => {
    const picture = "data:image/png;base64,AA==";
    const seen = {
      role: "user",
      content: [
        { type: "image_url", image_url: { url: picture } },
        { type: "text", text: "what?" },
      ],
    };
    expect(messagesOf("", [], asked("what?", [picture]))).toEqual([seen]);
    const before = [{ ...turn("", "a cat"), asked: asked("what?", [picture]) }];
    expect(messagesOf("", before, asked("sure?"))[0]).toEqual(seen);
    expect(messagesOf("", before, asked("sure?"), blind)[0]).toEqual({ role: "user", content: "what?" });
  });

  test("fit into a call with all pictures that a conversation takes, and a megabyte of text", () => {
    const { conversationPictureBytesMax, pictureBytesMax } = consoleBounds;
    const picture = `data:image/webp;base64,${Buffer.alloc(pictureBytesMax).toString("base64")}`;
    const turns = Array.from({ length: conversationPictureBytesMax / pictureBytesMax }, () => ({
      ...turn("", "a cat"),
      asked: asked("what?", [picture]),
    }));
    const bytes = JSON.stringify(messagesOf("", turns, asked("t".repeat(1_000_000)))).length;
    expect(bytes).toBeGreaterThan(conversationPictureBytesMax);
    expect(bytes).toBeLessThan(limits.bodyBytesMax);
  });
});

describe("the latest turns of a model", () => {
  const [one, two, three] = [asked("1"), asked("2"), asked("3")];
  const by = (id: string, question: typeof one): ChatTurn => ({
    asked: question,
    answer: { ...{ stage: "done", text: "yes", reasoning: "" }, model: { ...model, id } },
  });

  test("are all where no other one was asked", () => {
    const turns = [by(model.id, one), by(model.id, two)];
    expect(latestTurns([one, two], turns, model)).toEqual(turns);
  });

  test("end where another one was asked, or none", () => {
    const turns = [by(model.id, one), by("acme/other", two), by(model.id, three)];
    expect(latestTurns([one, two, three], turns, model)).toEqual(turns.slice(2));
    expect(latestTurns([one, two, three], [by(model.id, one), by(model.id, three)], model)).toHaveLength(1);
    expect(latestTurns([one, two], turns.slice(0, 2), model)).toEqual([]);
    expect(latestTurns([one, two], [by(model.id, one)], model)).toEqual([]);
    expect(latestTurns([], [], model)).toEqual([]);
  });
});

test("models have their ids in their names where the names are equal, and where they have none", () => {
  const models = [
    { id: "a/m", display_name: "M" },
    { id: "a/n", display_name: "N" },
    { id: "b/m", display_name: "M" },
    { id: "b/o", display_name: "" },
  ];
  expect(namesOf(models)).toEqual(["M (a/m)", "N", "M (b/m)", "b/o"]);
});

test("a body has only what was chosen", () => {
  const none = { temperature: " ", most: "", system: "" };
  const messages = [{ role: "user", content: "hi" }];
  expect(bodyOf(none, model, [], asked("hi"))).toEqual({ model: "acme/m", messages });
  expect(bodyOf({ ...none, temperature: "0.5", most: " 64 " }, model, [], asked("hi"))).toEqual({
    ...{ model: "acme/m", messages, temperature: 0.5, max_completion_tokens: 64 },
  });
});

test.each([
  ["", true],
  ["1", true],
  [" 100 ", true],
  ["101", false],
  ["0", false],
  ["-1", false],
  ["1.5", false],
  ["1e2", false],
  ["many", false],
])("%j tokens of models that write 100 and 200 at most: %s", (text, isRight) => {
  expect(isMost(text, [{ output_tokens: 200 }, { output_tokens: 100 }])).toBe(isRight);
});
