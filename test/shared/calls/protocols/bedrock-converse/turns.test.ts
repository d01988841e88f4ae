/** Turns, media and cache points as Converse takes them (protocols.md §8.1). */
import { describe, expect, test } from "vitest";
import type { GatewayError } from "#shared/base/errors.ts";
import type { Traits } from "#shared/books/catalog/traits.ts";
import type { ChatMessage, ChatRequest, MediaPart } from "#shared/calls/chat/request.ts";
import { DocumentNames } from "#shared/calls/protocols/bedrock-converse/crossing/documents.ts";
import { answered, call, result, said, text, tools, written } from "#test/support/converse.ts";

const media = (type: MediaPart["type"], media_type: string, name?: string): MediaPart => ({
  type,
  source: { type: "base64", media_type, data: "aGk=" },
  ...(name !== undefined && { name }),
});
const refusal = (run: () => unknown): GatewayError["detail"] => {
  try {
    run();
  } catch (error) {
    return (error as GatewayError).detail;
  }
  throw new Error("nothing was refused");
};

describe("turns", () => {
  const contents = (messages: ChatMessage[], traits?: Traits) =>
    written({ messages, tools }, traits).body.messages.map(({ role, content }) => [role, content]);

  test("alternate, and the user begins", () => {
    const { body } = written({
      messages: [{ role: "assistant", parts: [text("Hi")] }, said(text("A")), said(text("B"))],
    });
    expect(body.messages).toEqual([
      { role: "user", content: [{ text: "." }] },
      { role: "assistant", content: [{ text: "Hi" }] },
      { role: "user", content: [{ text: "A" }, { text: "B" }] },
    ]);
  });

  test("have instructions between them as text of the user's", () => {
    const system: ChatMessage = { role: "system", parts: [text("Be brief.")] };
    expect(contents([said(text("A")), system])).toEqual([
      ["user", [{ text: "A" }, { text: "<system>\nBe brief.\n</system>" }]],
    ]);
  });

  const mixed = [said(text("A")), answered, said(text("And?"), result())];

  test("have results first, with what the client says behind them", () => {
    const { toolUseId } = { toolUseId: "a" };
    expect(contents(mixed).at(-1)).toEqual([
      "user",
      [{ toolResult: { toolUseId, content: [{ text: "sunny" }] } }, { text: "And?" }],
    ]);
  });

  test("have results alone where the model wants them so", () => {
    const roles = contents(mixed, { turns: { user_after_tool: false } }).slice(2);
    expect(roles).toEqual([
      ["user", [{ toolResult: { toolUseId: "a", content: [{ text: "sunny" }] } }]],
      ["assistant", [{ text: "OK" }]],
      ["user", [{ text: "And?" }]],
    ]);
    const alone = [said(text("A")), answered, said(result())];
    expect(contents(alone, { turns: { user_after_tool: false } })).toHaveLength(3);
  });

  test("have a result's pictures and failure inside of it, or a model without these gets them behind it", () => {
    const picture = media("image", "image/png");
    const failed = [
      said(text("A")),
      answered,
      said(result({ content: [text("x"), picture], is_error: true })),
    ];
    const block = { image: { format: "png", source: { bytes: "aGk=" } } };
    expect(contents(failed).at(-1)?.[1]).toEqual([
      { toolResult: { toolUseId: "a", content: [{ text: "x" }, block], status: "error" } },
    ]);
    const { body, dropped } = written({ messages: failed, tools }, { result_media: false });
    expect(body.messages.at(-1)?.content).toEqual([
      { toolResult: { toolUseId: "a", content: [{ text: "x" }] } },
      block,
    ]);
    expect(dropped).toEqual(["messages.tool_result.is_error"]);
  });

  test("have no result without content", () => {
    const empty = [said(text("A")), answered, said(result({ content: [text(" ")] }))];
    expect(contents(empty).at(-1)?.[1]).toEqual([
      { toolResult: { toolUseId: "a", content: [{ text: "." }] } },
    ]);
  });

  test("have reasoning only as it was signed", () => {
    const messages: ChatMessage[] = [
      said(text("A")),
      {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "Hm." },
          { type: "reasoning", text: "", signature: "cg==", redacted: true },
          { ...call, signature: "s" },
        ],
      },
      said(result()),
    ];
    const { body, dropped } = written({ messages, tools });
    expect(body.messages[1]?.content).toEqual([
      { reasoningContent: { redactedContent: "cg==" } },
      { toolUse: { toolUseId: "a", name: "f", input: {} } },
    ]);
    expect(dropped).toEqual(["messages.parts.reasoning", "messages.parts.signature"]);
  });
});

describe("media", () => {
  test("by an address are refused, also one that only our own role could read", () => {
    for (const url of ["https://a.example/x.png", "s3://somebody/x.png"]) {
      const messages = [said({ type: "image", source: { type: "url", url } })];
      expect(refusal(() => written({ messages }))).toMatchObject({
        param: "messages",
        message: "A file by its address cannot be sent to this model: send its bytes as base64.",
      });
    }
  });

  test("of a type that Converse does not know are refused", () => {
    const messages = [said(media("file", "application/zip"))];
    expect(refusal(() => written({ messages })).message).toBe(
      "A file of type application/zip cannot be sent to this model.",
    );
  });

  test("of any text are documents of text", () => {
    for (const type of ["text/x-python", "application/json", "text/plain; charset=utf-8"]) {
      const [turn] = written({ messages: [said(media("file", type, "a"))] }).body.messages;
      expect(turn?.content[0]).toMatchObject({ document: { format: "txt" } });
    }
  });

  test("that are sound stand behind a result", () => {
    const messages = [said(text("A")), answered, said(result({ content: [media("audio", "audio/mpeg")] }))];
    expect(
      written({ messages, tools })
        .body.messages.at(-1)
        ?.content.map((block) => Object.keys(block)),
    ).toEqual([["toolResult"], ["audio"]]);
  });

  test("have names that stand once, whatever their length, and stay when another one follows", () => {
    const names = new DocumentNames();
    const long = "x".repeat(300);
    const told = [undefined, "a  b.pdf", "A b", long, long, ".pdf", "…"].map((name) => names.next(name));
    expect(told).toEqual([
      "document",
      "a b",
      "A b-2",
      "x".repeat(200),
      `${"x".repeat(198)}-2`,
      "document-2",
      "document-3",
    ]);
  });
});

describe("cache points", () => {
  const point = { cachePoint: { type: "default" } };
  const all: Traits = { cache_points: ["tools", "system", "messages"] };
  const marked: Partial<ChatRequest> = {
    system: [text("S", true)],
    tools: [{ name: "f", cache: true }],
    messages: [said(text("A", true)), answered, said(result({ cache: true }))],
  };
  const pointsIn = ({ system, toolConfig, messages }: ReturnType<typeof written>["body"]) =>
    [toolConfig?.tools ?? [], (system as object[]) ?? [], ...messages.map(({ content }) => content)].map(
      (list) => list.findIndex((block) => "cachePoint" in block),
    );

  test("stand where the client has set them, behind their blocks", () => {
    expect(pointsIn(written(marked, all).body)).toEqual([1, 1, 1, -1, 1]);
  });

  test("stand only where the model takes them", () => {
    expect(pointsIn(written(marked).body)).toEqual([-1, -1, -1, -1, -1]);
    expect(pointsIn(written(marked, { cache_points: ["system", "messages"] }).body)).toEqual([
      -1, 1, 1, -1, 1,
    ]);
    expect(pointsIn(written({ ...marked, system: [text("S")] }, {}, true).body)).toEqual([
      -1, -1, -1, -1, -1,
    ]);
  });

  test("are the gateway's where the client has none and it shall place some", () => {
    const plain = {
      ...marked,
      system: [text("S")],
      tools,
      messages: [said(text("A")), answered, said(result())],
    };
    expect(pointsIn(written(plain, all, true).body)).toEqual([1, 1, 1, -1, 1]);
    expect(pointsIn(written(plain, { cache_points: ["messages"] }, true).body)).toEqual([-1, -1, 1, -1, 1]);
    expect(pointsIn(written(plain, all, false).body)).toEqual([-1, -1, -1, -1, -1]);
    const longer: Partial<ChatRequest> = {
      ...plain,
      messages: [said(text("0")), { role: "assistant", parts: [text("1")] }, ...plain.messages],
    };
    expect(pointsIn(written(longer, all, true).body)).toEqual([1, 1, -1, -1, 1, -1, 1]);
  });

  test("are four at most, and the last ones count", () => {
    const messages = [said(...["1", "2", "3", "4", "5", "6"].map((each) => text(each, true)))];
    const [turn] = written({ messages }, all).body.messages;
    expect(turn?.content).toEqual([
      { text: "1" },
      { text: "2" },
      ...["3", "4", "5", "6"].flatMap((each) => [{ text: each }, point]),
    ]);
  });

  test("do not stand behind a document", () => {
    const messages = [said(text("A"), { ...media("file", "text/plain"), cache: true })];
    expect(pointsIn(written({ messages }, all).body)).toEqual([-1, -1, -1]);
    expect(
      pointsIn(written({ messages: [said(text("A"), media("file", "text/plain"))] }, all, true).body),
    ).toEqual([-1, -1, -1]);
  });
});
