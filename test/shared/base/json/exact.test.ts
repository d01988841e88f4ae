/** Numbers keep their digits on every crossing: in calls of tools, in results, in schemas, and in the seed. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mayChange, parseExact, parseExactIn } from "#shared/base/json/exact.ts";
import { limits } from "#shared/base/limits.ts";
import {
  argumentsIn,
  argumentsInStream,
  calling,
  digits,
  frames,
  history,
} from "#test/shared/base/json/calling.ts";
import { call } from "#test/support/call.ts";
import { modelOf, pathOf, type Speech, speeches, streamed, useCrossed } from "#test/support/crossed.ts";

const crossed = useCrossed();
const pairs = speeches.flatMap((client) =>
  speeches.filter((provider) => provider !== client).map((provider) => [client, provider] as const),
);

/** Numbers in the forms that JSON allows. */
const number = fc.oneof(
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
  fc.maxSafeInteger().map(String),
  fc.constantFrom("9007199254740993", "-9007199254740993", "1.0", "1e3", "-0", "0.0", "1E+400", "2.50"),
  fc.constantFrom("0.1", "0.30000000000000004", "0.12345678901234567890", "0.0000001", "1e-400", "100.10"),
  fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.stringMatching(/^\d{1,20}$/))
    .map(([whole, part]) => `${whole}.${part}`),
);
const space = fc.constantFrom("", " ", "\n  ");
const name = fc.constantFrom("id", "__proto__", "input", "args", "ünï", 'say "1.0"', "7");
const { value: json } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    number,
    fc.string().map((text) => JSON.stringify(text)),
    tie("list"),
    tie("object"),
  ),
  list: fc
    .tuple(space, fc.array(tie("value"), { maxLength: 3 }))
    .map(([gap, all]) => `[${all.map((one) => gap + one).join(",")}]`),
  object: fc
    .tuple(space, fc.uniqueArray(fc.tuple(name, tie("value")), { maxLength: 4, selector: ([key]) => key }))
    .map(([gap, all]) => `{${all.map(([key, one]) => `${JSON.stringify(key)}:${gap}${one}`).join(",")}}`),
}));
const argumentsText = fc.tuple(number, json).map(([id, more]) => `{"id":${id},"more":${more}}`);

const settings = { numRuns: 25, seed: 53 };

/** Sends a body, given as its text but for its last brace. */
async function send(client: Speech, provider: Speech, text: string, stream = false) {
  const model = modelOf(provider);
  const addressed = client === "gemini" ? "" : `,"model":"${model}","stream":${stream}`;
  return call(crossed.serve, pathOf(client, model, stream), {
    headers: crossed.headers,
    body: `${text}${addressed}}`,
  });
}

describe.each(pairs)("%s on %s", (client, provider) => {
  const respond = (text: string, type: string) =>
    crossed.upstream.on((_request, response) => response.writeHead(200, { "content-type": type }).end(text));
  const answer = (text: string) => respond(calling[provider](text), "application/json");

  test("the arguments of an earlier call", async () => {
    const property = fc.asyncProperty(argumentsText, async (text) => {
      answer("{}");
      expect((await send(client, provider, history[client](text))).status).toBe(200);
      const sent = crossed.upstream.requests.at(-1)?.body.toString() ?? "";
      expect(argumentsIn(provider, sent)).toEqual(digits(text));
      crossed.forget();
    });
    await fc.assert(property, settings);
  });

  test("the arguments of an answer's call", async () => {
    const property = fc.asyncProperty(argumentsText, async (text) => {
      answer(text);
      const reply = await send(client, provider, history[client]("{}"));
      expect(argumentsIn(client, reply.text)).toEqual(digits(text));
      crossed.forget();
    });
    await fc.assert(property, settings);
  });

  test("the arguments of a stream's call", async () => {
    const property = fc.asyncProperty(argumentsText, async (text) => {
      const named = frames(provider, text).map((data) => `data: ${data}\n\n`);
      respond(named.join(""), "text/event-stream");
      const reply = await send(client, provider, history[client]("{}"), true);
      expect(argumentsInStream(client, reply.text)).toEqual(digits(text));
      crossed.forget();
    });
    await fc.assert(property, settings);
  });

  test("the schemas of tools and of the answer", async () => {
    answer("{}");
    const limit = "9007199254740993";
    const schema = `{"type":"object","properties":{"id":{"type":"integer","maximum":${limit},"multipleOf":1.0,"enum":[${limit},1e3]}},"required":["id"]}`;
    const tools: Record<Speech, string> = {
      openai: `,"tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}],"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":${schema}}}`,
      anthropic: `,"tools":[{"name":"f","input_schema":${schema}}],"output_config":{"format":{"type":"json_schema","schema":${schema}}}`,
      gemini: `,"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":${schema}}]}],"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":${schema}}`,
      responses: `,"tools":[{"type":"function","name":"f","parameters":${schema}}],"text":{"format":{"type":"json_schema","name":"n","schema":${schema}}}`,
    };
    expect((await send(client, provider, history[client]("{}") + tools[client])).status).toBe(200);
    const sent = crossed.upstream.requests.at(-1)?.body.toString() ?? "";
    expect(
      sent.match(/"maximum":9007199254740993,"multipleOf":1\.0,"enum":\[9007199254740993,1e3\]/g),
    ).toHaveLength(2);
  });
});

describe("other numbers of a request", () => {
  const seed = "9223372036854775807";
  test("a seed keeps its digits", async () => {
    crossed.upstream.on(streamed("gemini", []));
    await send("openai", "gemini", `${history.openai("{}")},"seed":${seed}`);
    expect(crossed.upstream.requests.at(-1)?.body.toString()).toContain(`"seed":${seed}`);
    await send("gemini", "openai", `${history.gemini("{}")},"generationConfig":{"seed":-${seed}}`);
    expect(crossed.upstream.requests.at(-1)?.body.toString()).toContain(`"seed":-${seed}`);
    for (const wrong of ["1.5", "1e400", '"7"', "0.10000000000000000001"]) {
      expect((await send("openai", "gemini", `${history.openai("{}")},"seed":${wrong}`)).status).toBe(400);
    }
  });

  test("whatever form they have, they are read as numbers", async () => {
    crossed.upstream.on(streamed("anthropic", []));
    const odd = `${history.openai('{"id":9007199254740993}')},"temperature":1.0,"max_tokens":1e3,"top_p":0.50`;
    await send("openai", "anthropic", odd);
    expect(crossed.sent()).toMatchObject({ temperature: 1, max_tokens: 1000, top_p: 0.5 });
  });

  test("a count in a Gemini schema may be a text, and keeps its digits too", async () => {
    crossed.upstream.on(streamed("openai", []));
    const parameters = `{"type":"STRING","maxLength":"9223372036854775807","minLength":"5"}`;
    const tools = `,"tools":[{"functionDeclarations":[{"name":"f","parameters":${parameters}}]}]`;
    await send("gemini", "openai", history.gemini("{}") + tools);
    const sent = crossed.upstream.requests.at(-1)?.body.toString();
    expect(sent).toContain('"maxLength":9223372036854775807,"minLength":5');
  });

  test("a tool's result keeps them as text", async () => {
    crossed.upstream.on(streamed("openai", []));
    const body = history.gemini("{}").replace('{"result":"ok"}', '{"id":9007199254740993,"of":2.0}');
    await send("gemini", "openai", body);
    expect(JSON.stringify(crossed.sent())).toContain('{\\"id\\":9007199254740993,\\"of\\":2.0}');
  });

  test("arguments that are nested too deep stay text", async () => {
    crossed.upstream.on(streamed("anthropic", []));
    const deep = `{"a":${"[".repeat(limits.jsonDepthMax)}${"]".repeat(limits.jsonDepthMax)}}`;
    await send("openai", "anthropic", history.openai(deep));
    expect(JSON.stringify(crossed.sent())).toContain(JSON.stringify({ arguments: deep }));
  });
});

describe("reading exactly", () => {
  test("a value is written again as it was read, number by number", () => {
    fc.assert(
      fc.property(argumentsText, (text) => {
        expect(digits(JSON.stringify(parseExact(text)))).toEqual(digits(text));
      }),
      { numRuns: 500, seed: 8 },
    );
  });

  test("outside of the members numbers are plain, and the same as ever", () => {
    fc.assert(
      fc.property(argumentsText, (text) => {
        const given = parseExactIn(`{"x":${text},"free":${text}}`, new Set(["free"])) as Record<
          string,
          unknown
        >;
        expect(given.x).toEqual(JSON.parse(text));
        expect(digits(JSON.stringify(given.free))).toEqual(digits(text));
      }),
      { numRuns: 300, seed: 9 },
    );
  });

  test("a body without such a number is not read twice", () => {
    const usual =
      '{"temperature":0.7,"id":9007199,"list":[1,2.5,-3],"text":"In 2024, 3 of 4: yes","t":1732272000000}';
    expect(mayChange(usual)).toBe(false);
    expect(mayChange(`{"data":"${"3e4A".repeat(1000)}"}`)).toBe(false);
  });
});
