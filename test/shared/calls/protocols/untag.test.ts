/**
 * Bodies that are passed through: byte for byte, unless they hold tagged signatures. Then the model's own are restored
 * and another's are taken out, and every byte around them stays.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editItems, editMembers, replaceBy, takeOut } from "#shared/base/json/edit.ts";
import { tag } from "#shared/calls/chat/signature.ts";
import { protocols } from "#shared/calls/protocols/index.ts";
import { call } from "#test/support/call.ts";
import { pathOf, type Speech, useCrossed } from "#test/support/crossed.ts";
import { origin, otherOrigin } from "#test/support/signatures.ts";

const own = tag(origin, { signature: "b3du" });
const foreign = tag(otherOrigin, { signature: "Zm9yZWlnbg==" });
const nothing = tag(otherOrigin, { signature: "" });
const old = Buffer.from("gateway-signature::b2xk").toString("base64");

/** A body with numbers, escapes, spaces and repeated keys that no parser would give back. */
const odd = String.raw`{"n": 12345678901234567890.10, "s":"\u00e9\/", "s" : [1 ,2],"e":{ }}`;

const names = {
  chat: "openai-chat",
  anthropic: "anthropic",
  gemini: "gemini",
  responses: "openai-responses",
};
const untag = (name: keyof typeof names, body: string) => {
  const untagged = protocols[names[name] as "anthropic"].untag?.(Buffer.from(body), origin);
  return { body: untagged?.bytes.toString(), dropped: untagged?.dropped };
};
const reasoning = "messages.parts.reasoning";
const signature = "messages.parts.signature";

describe("edits deep inside a body", () => {
  const json = fc.json({ maxDepth: 3 });
  test("keep every byte of what they do not edit", () => {
    fc.assert(
      fc.property(
        fc.array(json, { maxLength: 5 }),
        fc.nat(5),
        fc.constantFrom("", " ", "\n\t"),
        (items, at, space) => {
          const list = Buffer.from(`[${space}${items.join(`${space},${space}`)}${space}]`);
          expect(editItems(list, (item) => item)).toBe(list);
          const left = editItems(list, (item, index) => (index === at ? undefined : item)).toString();
          expect(JSON.parse(left)).toEqual(JSON.parse(list.toString()).toSpliced(at, 1));
          for (const [index, item] of items.entries()) if (index !== at) expect(left).toContain(item);
          const object = Buffer.from(
            `{${items.map((item, index) => `"k${index}"${space}:${space}${item}`).join(",")}}`,
          );
          const edited = editMembers(object, { [`k${at}`]: takeOut }).toString();
          const { [`k${at}`]: _, ...rest } = JSON.parse(object.toString()) as Record<string, unknown>;
          expect(JSON.parse(edited)).toEqual(rest);
        },
      ),
      { seed: 41, numRuns: 300 },
    );
  });

  test("touch nothing but objects and arrays, and each of two members of one name", () => {
    const text = Buffer.from('"[1]"');
    expect(editItems(text, takeOut)).toBe(text);
    expect(editMembers(text, { a: takeOut })).toBe(text);
    const twice = Buffer.from('{"a":1,"b":"}","a":2}');
    expect(editMembers(twice, { a: replaceBy("x") }).toString()).toBe('{"a":"x","b":"}","a":"x"}');
  });
});

describe("Anthropic", () => {
  const user = `{"role":"user","content":"Go","odd":${odd}}`;
  const turns = (content: string, rest = "") => `{"messages":[${user},${content}]${rest}}`;
  const answer = (...blocks: string[]) => `{ "role": "assistant","content":[${blocks.join(",")}]}`;
  const thinking = (sign: string) => `{"type":"thinking", "thinking":"Hm.","signature":"${sign}"}`;
  const redacted = (data: string) => `{"type":"redacted_thinking","data":"${data}"}`;
  const text = '{"type":"text","text":"Hi."}';
  const use = (id: string) => `{"type":"tool_use","id":"${id}","name":"f","input":${odd}}`;
  const results = (id: string) => `{"role":"user","content":[{"type":"tool_result","tool_use_id":"${id}"}]}`;

  test("its own thinking is restored, another's goes, and what is not tagged stays", () => {
    const others = [thinking(foreign), redacted(foreign), thinking(nothing), thinking(old)];
    const plain = thinking("tagged by nobody");
    expect(untag("anthropic", turns(answer(thinking(own), ...others, plain, text)))).toEqual({
      body: turns(answer(thinking("b3du"), plain, text)),
      dropped: [reasoning],
    });
    expect(untag("anthropic", turns(answer(redacted(own)))).body).toBe(turns(answer(redacted("b3du"))));
  });

  test("a turn of which nothing is left goes too", () => {
    const body = `{"messages":[${user},${answer(thinking(foreign))},${user}]}`;
    expect(untag("anthropic", body).body).toBe(`{"messages":[${user},${user}]}`);
  });

  test("a call keeps its id, without the signature that rode with it", () => {
    const rider = `call_1__signed_${Buffer.from(foreign, "base64").toString("base64url")}`;
    const body = turns(`${answer(use(rider))},${results(rider)}`);
    expect(untag("anthropic", body)).toEqual({
      body: turns(`${answer(use("call_1"))},${results("call_1")}`),
      dropped: [signature],
    });
  });

  test("a budget goes where another model called the tools whose results come now", () => {
    const budget = ',"thinking":{"type":"enabled","budget_tokens":1024},"x":1';
    const loop = (first: string) => `${answer(first, use("a"))},${results("a")}`;
    const call = `${answer(use("a"))},${results("a")}`;
    expect(untag("anthropic", turns(loop(thinking(foreign)), budget))).toEqual({
      body: turns(call, ',"x":1'),
      dropped: [reasoning, "thinking"],
    });
    expect(untag("anthropic", turns(loop(thinking(own)), budget)).body).toBe(
      turns(loop(thinking("b3du")), budget),
    );
    const over = `${loop(thinking(foreign))},${answer(text)},${user}`;
    expect(untag("anthropic", turns(over, budget)).dropped).toEqual([reasoning]);
    const adaptive = ',"thinking":{"type":"adaptive"}';
    expect(untag("anthropic", turns(loop(thinking(foreign)), adaptive)).body).toBe(turns(call, adaptive));
  });

  test("tags where no signature stands are words of the client's", () => {
    const body = turns(`{"role":"user","content":[{"type":"text","text":"${foreign}"}]}`);
    expect(untag("anthropic", body)).toEqual({ body, dropped: [] });
  });
});

describe("Gemini", () => {
  const contents = (...all: string[]) => `{"contents":[${all.join(",")}],"odd":${odd}}`;
  const model = (...parts: string[]) => `{"role":"model","parts":[${parts.join(",")}]}`;
  const user = '{"parts":[{"text":"Go"}]}';
  const thought = (sign = "") => `{"text":"Hm.","thought":true${sign && `,"thoughtSignature":"${sign}"`}}`;
  const use = (sign: string, key = "thoughtSignature") =>
    `{"functionCall":{"name":"f","args":${odd}},"${key}":"${sign}"}`;
  const sentinel = "skip_thought_signature_validator";

  test("its own signatures are restored; another's thought goes, its call gets the sentinel, and the rest stays", () => {
    const body = contents(
      user,
      model(
        thought(own),
        thought(foreign),
        use(foreign),
        use(nothing),
        use(own, "thought_signature"),
        use("c2ln"),
      ),
    );
    expect(untag("gemini", body)).toEqual({
      body: contents(
        user,
        model(thought("b3du"), use(sentinel), use(sentinel), use("b3du", "thought_signature"), use("c2ln")),
      ),
      dropped: [reasoning, signature],
    });
  });

  test("the pieces of another's thought go with their signature, though each is a turn of its own", () => {
    const end = `{"text":"","thought":true,"thoughtSignature":"${foreign}"}`;
    const body = contents(
      model(thought()),
      user,
      model(thought()),
      model(thought()),
      model(end),
      model('{"text":"Hi."}'),
    );
    expect(untag("gemini", body).body).toBe(contents(model(thought()), user, model('{"text":"Hi."}')));
  });

  test("words stay without another's signature, also in a request that is counted", () => {
    const words = (sign: string) => model(`{"text":"Hi."${sign}}`);
    const generate = (sign: string) => `{"generateContentRequest":${contents(words(sign))}}`;
    const body = generate(`,"thought_signature":"${foreign}"`);
    const counted = protocols["gemini-count"].untag?.(Buffer.from(body), origin);
    expect(counted?.bytes.toString()).toBe(generate(""));
    expect(counted?.dropped).toEqual([signature]);
  });
});

describe("OpenAI chat", () => {
  const messages = (...fields: string[]) =>
    `{"messages":[{"role":"assistant","content":null,${fields.join(",")}}],"odd":${odd}}`;
  const detail = (sign: string) => `{"type":"reasoning.text","index":0,"text":"Hm.","signature":"${sign}"}`;
  const hidden = (data: string) => `{"type":"reasoning.encrypted","data":"${data}"}`;
  const use = (extra = "") =>
    `"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}${extra}}]`;
  const google = (sign: string) => `,"extra_content":{"google":{"thought_signature":"${sign}"}}`;

  test("its own details and calls are restored, and another's go with the text that repeats them", () => {
    const text = '"reasoning_content":"Hm."';
    const all = `"reasoning_details":[${detail(foreign)},${hidden(foreign)}]`;
    expect(untag("chat", messages(text, all, use(google(foreign))))).toEqual({
      body: messages(use()),
      dropped: [signature, reasoning],
    });
    const details = (sign: string) => `"reasoning_details":[${detail(sign)}]`;
    expect(untag("chat", messages(text, details(own), use(google(own)))).body).toBe(
      messages(text, details("b3du"), use(google("b3du"))),
    );
    const mixed = `"reasoning_details":[${detail(own)},${detail(foreign)}]`;
    expect(untag("chat", messages(text, mixed)).body).toBe(messages(details("b3du")));
  });
});

describe("Responses", () => {
  const input = (...items: string[]) => `{"input":[${items.join(",")}],"odd":${odd}}`;
  const item = (content: string, id = '"id":"rs_1",') =>
    `{${id}"type":"reasoning","summary":[],"encrypted_content":"${content}"}`;
  const use = (extra: string) => `{"type":"function_call","call_id":"a","name":"f","arguments":"{}"${extra}}`;

  test("its own items are restored without the gateway's id, and another's go", () => {
    const extra = `,"extra_content":{"google":{"thought_signature":"${foreign}"}}`;
    expect(untag("responses", input(item(own), item(foreign), item(nothing), use(extra)))).toEqual({
      body: input(item("b3du", ""), use("")),
      dropped: [reasoning, signature],
    });
  });
});

describe.each(Object.keys(names) as (keyof typeof names)[])("%s", (name) => {
  test("whatever stands where, nothing throws and the body is JSON", () => {
    const keys =
      "messages content role type input contents parts reasoning_details tool_calls id signature data thoughtSignature functionCall encrypted_content extra_content google thought_signature thinking";
    const body = fc.object({
      key: fc.constantFrom(...keys.split(" ")),
      values: [
        fc.constantFrom(
          own,
          foreign,
          nothing,
          old,
          "thinking",
          "tool_use",
          "reasoning",
          "model",
          "x",
          null,
          7,
        ),
      ],
      maxDepth: 6,
    });
    fc.assert(
      fc.property(body, (value) => {
        const { body: left } = untag(name, JSON.stringify(value));
        expect(() => JSON.parse(left ?? "")).not.toThrow();
      }),
      { seed: 42, numRuns: 1000 },
    );
  });
});

describe("through the gateway", () => {
  const crossed = useCrossed();
  const bodies: [Speech, string][] = [
    ["openai", `{"model":"openai/model-1","messages":[{"role":"user","content":"Hi","x":${odd}}]}`],
    [
      "anthropic",
      `{"model":"anthropic/model-1","max_tokens":9,"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"c2ln"}]}],"x":${odd}}`,
    ],
    ["gemini", `{"contents":[{"role":"model","parts":[{"text":"","thoughtSignature":"c2ln"}]}],"x":${odd}}`],
    [
      "responses",
      `{"model":"responses/model-1","input":[{"type":"reasoning","summary":[],"encrypted_content":"c2ln"}],"x":${odd}}`,
    ],
  ];

  test.each(bodies)(
    "%s: a body without a tag goes byte for byte, signatures and all",
    async (speech, body) => {
      crossed.upstream.json({});
      await call(crossed.serve, pathOf(speech, `${speech}/model-1`, false), {
        headers: crossed.headers,
        body,
      });
      const sent = crossed.upstream.requests.at(-1)?.body.toString();
      expect(sent).toBe(body.replace(`${speech}/model-1`, "upstream-model"));
    },
  );

  test("what is taken out of a body that is passed through is named to the client", async () => {
    crossed.upstream.json({
      type: "message",
      content: [{ type: "text", text: "Hi." }],
      stop_reason: "end_turn",
      usage: { input_tokens: 1, output_tokens: 1 },
    });
    const messages = [
      { role: "user", content: "Go" },
      { role: "assistant", content: [{ type: "thinking", thinking: "Hm.", signature: foreign }] },
      { role: "user", content: "On" },
    ];
    const answer = await crossed.ask("anthropic", "anthropic", { messages });
    expect(answer.status).toBe(200);
    expect(answer.headers["x-gateway-dropped"]).toBe(reasoning);
    expect(crossed.sent().messages).toEqual([messages[0], messages[2]]);
  });
});
