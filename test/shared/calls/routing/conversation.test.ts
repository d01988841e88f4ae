/** The conversation of a request: the same on every turn, in every protocol, however long the texts are. */
import { describe, expect, test } from "vitest";
import { readForm } from "#shared/base/http/form.ts";
import { readJsonObject } from "#shared/base/json/body.ts";
import { limits } from "#shared/base/limits.ts";
import { longTextPlaces } from "#shared/calls/chat/measure.ts";
import { type Conversing, conversationOf } from "#shared/calls/routing/conversation.ts";

type Json = Record<string, unknown>;
const organization = "org_1";
const of = (value: Json | string, more: Partial<Conversing> = {}): string | undefined => {
  const bytes = Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
  return conversationOf({ organization, headers: {}, body: readJsonObject(bytes, longTextPlaces), ...more });
};

const hello = 'Say "hello" to\nWörld 😀.';
const other = "Something else.";
const brief = "Be brief.";
const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const gemini = (role: string, text: string) => ({ role, parts: [{ text }] });

/** The first turn of a conversation, a later one, and first turns of others, by protocol. */
const protocols: Record<string, { first: Json; later: Json; others: Json[] }> = {
  "OpenAI chat": {
    first: { messages: [{ role: "system", content: brief }, user(hello)] },
    later: {
      temperature: 1,
      messages: [{ role: "system", content: brief }, user(hello), assistant("Hi"), user(other)],
      tools: [{ type: "function", function: { name: "later" } }],
    },
    others: [
      { messages: [{ role: "system", content: brief }, user(other)] },
      { messages: [{ role: "system", content: other }, user(hello)] },
      { messages: [user(hello)] },
    ],
  },
  "OpenAI chat with parts": {
    first: { messages: [user(hello)] },
    later: { messages: [user([{ type: "text", text: hello }]), assistant("Hi"), user(other)] },
    others: [
      {
        messages: [
          user([
            { type: "text", text: hello },
            { type: "text", text: other },
          ]),
        ],
      },
    ],
  },
  "OpenAI Responses": {
    first: { instructions: brief, input: hello },
    later: {
      instructions: brief,
      input: [
        { type: "message", role: "user", content: [{ type: "input_text", text: hello }] },
        { type: "reasoning", id: "rs_1", encrypted_content: "x" },
        { type: "message", id: "msg_1", status: "completed", role: "assistant", content: [] },
        { role: "user", content: other },
      ],
    },
    others: [{ instructions: brief, input: other }, { instructions: other, input: hello }, { input: hello }],
  },
  Anthropic: {
    first: {
      system: [{ type: "text", text: brief, cache_control: { type: "ephemeral" } }],
      messages: [user([{ type: "text", text: hello, cache_control: { type: "ephemeral" } }])],
    },
    later: {
      system: brief,
      messages: [
        user(hello),
        assistant([{ type: "text", text: "Hi" }]),
        user([{ type: "text", text: other, cache_control: { type: "ephemeral", ttl: "1h" } }]),
      ],
    },
    others: [
      { system: brief, messages: [user(other)] },
      { system: other, messages: [user(hello)] },
    ],
  },
  Gemini: {
    first: { systemInstruction: { parts: [{ text: brief }] }, contents: [{ parts: [{ text: hello }] }] },
    later: {
      system_instruction: { role: "user", parts: [{ text: brief }] },
      contents: [gemini("user", hello), gemini("model", "Hi"), gemini("user", other)],
    },
    others: [
      { systemInstruction: { parts: [{ text: brief }] }, contents: [gemini("user", other)] },
      { contents: [gemini("user", hello)] },
    ],
  },
};

describe.each(Object.entries(protocols))("a conversation in %s", (_, { first, later, others }) => {
  test("has one name on all its turns", () => {
    expect(of(first)).toMatch(/^[\w-]{22}$/);
    expect(of(later)).toBe(of(first));
  });

  test("has another name than others", () => {
    const names = [first, ...others].map((each) => of(each));
    expect(new Set(names).size).toBe(names.length);
  });

  test("has another name in another organization", () => {
    expect(of(first, { organization: "org_2" })).not.toBe(of(first));
  });
});

describe("a conversation has the same name", () => {
  const long = (unit: string) => unit.repeat(Math.ceil(3_000 / unit.length));
  const padding = assistant("p".repeat(limits.outlinedBytesMin));

  test.each([
    ["plain", long("lorem ipsum ")],
    ["escaped", long('line\n"quoted"\t\\')],
    ["wide", long("你好 😀")],
    ["half a pair at the cut", `${"a".repeat(1_023)}😀${"b".repeat(1_000)}😀${"c".repeat(1_023)}`],
  ])("once its body is so large that its texts stay bytes: %s", (_, text) => {
    const small = { messages: [user(text)] };
    const large = { messages: [user(text), padding] };
    expect(of(large)).toBe(of(small));
  });

  test("however a client escapes its texts", () => {
    const text = long("né\n/");
    const escaped = JSON.stringify(text).replaceAll("é", "\\u00E9").replaceAll("/", "\\/");
    const body = (json: string) =>
      `{"messages":[{"role":"user","content":${json}},${JSON.stringify(padding)}]}`;
    expect(of(body(escaped))).toBe(of(body(JSON.stringify(text))));
  });

  test("and another one where the beginning or the end of a long text differs", () => {
    const text = "m".repeat(100_000);
    const names = [text, `x${text.slice(1)}`, `${text.slice(1)}x`].map((each) =>
      of({ messages: [user(each)] }),
    );
    expect(new Set(names).size).toBe(3);
  });
});

describe("the client names its conversation", () => {
  const body = { messages: [user(hello)], prompt_cache_key: "cache" };

  test.each(["x-session-id", "x-claude-code-session-id", "session_id", "x-session-affinity"])(
    "by %s",
    (name) => {
      const named = of(body, { headers: { [name]: "s1" } });
      expect(of({ messages: [user(other)] }, { headers: { [name]: "s1" } })).toBe(named);
      expect(of(body, { headers: { [name]: "s2" } })).not.toBe(named);
      expect(of(body, { headers: { [name]: "s1" }, organization: "org_2" })).not.toBe(named);
    },
  );

  test("by prompt_cache_key, where no header does", () => {
    expect(of({ prompt_cache_key: "cache", input: other })).toBe(of(body));
    expect(of(body, { headers: { "x-session-id": "" } })).toBe(of(body));
    expect(of(body, { headers: { "x-session-id": "s1" } })).not.toBe(of(body));
    expect(of({ ...body, prompt_cache_key: "" })).toBe(of({ messages: [user(hello)] }));
    expect(of({ ...body, prompt_cache_key: { toString: 1 } })).toBe(of({ messages: [user(hello)] }));
  });
});

describe("a request without a text has none", () => {
  test.each<Json>([
    {},
    { messages: [] },
    { messages: [{}] },
    { messages: [{ role: "user" }, 7, null] },
    { input: [] },
    { contents: { parts: [] } },
    { prompt: "a picture" },
    { messages: [{ role: "assistant", content: hello }] },
  ])("%j", (body) => {
    expect(of(body)).toBeUndefined();
  });

  test("nor has a form, unless a header names one", () => {
    const bytes = Buffer.from(
      '--b\r\ncontent-disposition: form-data; name="messages"\r\n\r\nhi\r\n--b--\r\n',
    );
    const form = readForm(bytes, "multipart/form-data; boundary=b");
    expect(conversationOf({ organization, headers: {}, body: form })).toBeUndefined();
    expect(conversationOf({ organization, headers: { "x-session-id": "s" }, body: form })).toMatch(
      /^[\w-]{22}$/,
    );
  });
});

describe("of a large body", () => {
  test("no long text is decoded", () => {
    const text = 'a "quoted" line\n'.repeat(60_000);
    const body = readJsonObject(Buffer.from(JSON.stringify({ messages: [user(text)] })), longTextPlaces);
    const { messages } = body.outline as { messages: [{ content: { toString(): string } }] };
    const { content } = messages[0];
    let decoded = 0;
    content.toString = () => {
      decoded += 1;
      return text;
    };
    expect(conversationOf({ organization, headers: {}, body })).toMatch(/^[\w-]{22}$/);
    expect(decoded).toBe(0);
  });

  test("only the first texts count, so that a thousand parts cost no more than some", () => {
    const parts = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ type: "text", text: `${at}` }));
    expect(of({ messages: [user(parts(5_000))] })).toBe(of({ messages: [user(parts(32))] }));
    expect(of({ messages: [user(parts(32))] })).not.toBe(of({ messages: [user(parts(31))] }));
  });
});

test("a line that Claude Code changes with each request tells no conversation from another", () => {
  const system = (line: string) => [
    { type: "text", text: `x-anthropic-billing-header: ${line}` },
    { type: "text", text: brief },
  ];
  const ask = (line: string) => of({ system: system(line), messages: [user(hello)] });
  expect(ask("cc_version=2.1; cch=1")).toBe(ask("cc_version=2.1; cch=2"));
});
