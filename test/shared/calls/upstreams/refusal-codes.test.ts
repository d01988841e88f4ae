/**
 * Errors that applications branch on, from every vendor to the clients of every other: bodies as the vendors send
 * them, and where each vendor's clients look.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { namesOf, readProviderError } from "#shared/calls/upstreams/provider-error.ts";
import { forms, recognise, refusalCodes, type VendorForm } from "#shared/calls/upstreams/refusal-codes.ts";
import { anthropic, ark, openai, recorded, unknown, zhipu } from "#test/shared/calls/upstreams/refusals.ts";
import { type Answer, call } from "#test/support/call.ts";
import { crossedCatalog } from "#test/support/crossed.ts";
import { createMemory, type Memory } from "#test/support/memory.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

describe("a refusal is recognised", () => {
  const read = (body: object) => readProviderError(Buffer.from(JSON.stringify(body)));

  test.each(recorded)("of %s as %s: %j", (_, meaning, body, counts) => {
    const error = read(body);
    expect(recognise(namesOf(error), error.message, 400)).toEqual({ meaning, ...(counts && { counts }) });
  });

  test.each(unknown)("only where it is known: %s, %j", (_, body) => {
    const error = read(body);
    expect(recognise(namesOf(error), error.message, 400)).toBeUndefined();
  });

  test("by its status where a body is too large for any words", () => {
    expect(recognise([], undefined, 413)).toEqual({ meaning: "request_too_large" });
  });

  test("not by words that the prompt brought", () => {
    for (const quoted of ["prompt is too long", "Could not process image", "Unsupported value"]) {
      expect(recognise([], `Invalid value: '${quoted}'`, 400)).toBeUndefined();
    }
  });
});

let upstream: Upstream;
let memory: Memory;
let serve: Pipeline;
let headers: Record<string, string>;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());
beforeEach(() => {
  const catalog = crossedCatalog(upstream.url) as {
    providers: Record<string, object>;
    models: { id: string; channels: object[] }[];
  };
  const only = (dialect: string) => ({
    ...catalog.providers.openai,
    protocols: { [dialect]: `${upstream.url}/v1` },
  });
  const [plain] = catalog.models.filter(({ id }) => id === "openai/model-1");
  for (const dialect of ["ark", "zhipu"]) {
    catalog.providers[dialect] = only(dialect);
    catalog.models.push({
      ...plain,
      id: `${dialect}/model-1`,
      channels: [{ provider: dialect, model: "upstream-model" }],
    });
  }
  memory = createMemory(catalog);
  headers = { authorization: `Bearer ${memory.addKey()}` };
  serve = createPipeline({} as LocalAnswers, memory.deps);
});

const messages = [{ role: "user", content: "Hello" }];
type Client = Exclude<VendorForm, "images"> | "standard";
const clients: Record<Client, (model: string) => [path: string, body: object]> = {
  openai: (model) => ["/v1/chat/completions", { model, messages }],
  standard: (model) => ["/api/v1/chat/completions", { model, messages }],
  ark: (model) => ["/api/v3/chat/completions", { model, messages }],
  zhipu: (model) => ["/api/paas/v4/chat/completions", { model, messages }],
  anthropic: (model) => ["/v1/messages", { model, messages, max_tokens: 10 }],
  gemini: (model) => [
    `/api/v1beta/models/${model}:generateContent`,
    { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
  ],
};

async function ask(client: Client, vendor: VendorForm, body: object): Promise<Answer> {
  upstream.on((_, response) =>
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(body)),
  );
  const provider = vendor === "images" ? "openai" : vendor;
  const [path, sent] = clients[client](`${provider}/model-1`);
  const reply = await call(serve, path, { headers, body: sent });
  expect(reply.status).toBe(400);
  return reply;
}

const errorOf = (reply: Answer) => reply.json().error as Record<string, unknown>;

/** Where a client of each vendor looks, and what it must find there for a context that is too long. */
const looked: Record<VendorForm, object> = {
  openai: {
    type: "invalid_request_error",
    code: "context_length_exceeded",
    gateway_code: 40000,
    message: expect.stringMatching(
      /^This model's maximum context length is 200000 tokens\. However, your messages resulted in 207368 tokens\. The provider says: /,
    ) as string,
  },
  images: {},
  anthropic: {
    type: "invalid_request_error",
    message: expect.stringMatching(/^prompt is too long: 150123 tokens > 128000 maximum\. The/) as string,
  },
  gemini: {
    code: 400,
    status: "INVALID_ARGUMENT",
    message: expect.stringMatching(
      /^The input token count \(150123\) exceeds the maximum number of tokens allowed \(128000\)\. The/,
    ) as string,
  },
  ark: { type: "BadRequest", code: "InvalidParameter", gateway_code: 40000 },
  zhipu: { code: "1261", gateway_code: 40000 },
};

describe("told across", () => {
  const [ofOpenai, , , ofAnthropic] = recorded;

  test.each(["anthropic", "gemini", "ark", "zhipu"] as const)("to a client of %s", async (client) => {
    const reply = await ask(client, "openai", ofOpenai?.[2] ?? {});
    expect(errorOf(reply)).toMatchObject({ ...looked[client], upstream_code: "context_length_exceeded" });
    expect(reply.text).toContain("Please reduce the length of the messages.");
  });

  test("to a client of OpenAI", async () => {
    const reply = await ask("openai", "anthropic", ofAnthropic?.[2] ?? {});
    expect(errorOf(reply)).toEqual({
      ...looked.openai,
      param: null,
      upstream_code: "invalid_request_error",
    });
  });

  test("every meaning of every vendor, in the names of each other", async () => {
    for (const [vendor, meaning, body] of recorded) {
      for (const client of forms.filter((form) => form !== "images" && form !== vendor) as Client[]) {
        if (vendor === "images" && client === "openai") continue;
        const { code, type, status } = refusalCodes[meaning].spoken[client as VendorForm] ?? {};
        const error = errorOf(await ask(client, vendor, body));
        expect(error, `${client}, ${JSON.stringify(body)}`).toMatchObject({
          ...(client !== "gemini" && code !== undefined && { code }),
          ...(type !== undefined && { type }),
          ...(status !== undefined && { status }),
        });
      }
    }
  });

  test.each(unknown)("what is not known stays as ours: %s, %j", async (vendor, body) => {
    const client = vendor === "openai" ? "ark" : "openai";
    const error = errorOf(await ask(client, vendor, body));
    expect(error).toMatchObject({ code: client === "ark" ? "InvalidParameter" : "40000" });
    expect(error).not.toHaveProperty("gateway_code");
  });
});

describe("told as it came, in the client's own protocol", () => {
  test("OpenAI: code, type and param", async () => {
    for (const code of ["context_length_exceeded", "invalid_image_url", "string_above_max_length"]) {
      const body = openai("No.", code, "messages[3].content");
      expect(errorOf(await ask("openai", "openai", body))).toEqual({
        message: "No.",
        type: "invalid_request_error",
        param: "messages[3].content",
        code,
        gateway_code: 40000,
        upstream_code: code,
      });
    }
  });

  test("OpenAI without a code: what it means is told, and ours where that is not known", async () => {
    const [, , vllm] = recorded;
    expect(errorOf(await ask("openai", "openai", vllm?.[2] ?? {}))).toMatchObject({
      code: "context_length_exceeded",
      type: "BadRequestError",
    });
    const error = errorOf(await ask("openai", "openai", openai("No such thing.", null)));
    expect(error).toMatchObject({ code: "40000", type: "invalid_request_error" });
    expect(error).not.toHaveProperty("gateway_code");
  });

  test("standard: our integer stays, and the provider's code stands beside it", async () => {
    expect(errorOf(await ask("standard", "openai", openai("No.", "invalid_image_url", "x")))).toEqual({
      type: "invalid_request_error",
      code: 40000,
      message: "No.",
      upstream_code: "invalid_image_url",
    });
  });

  test("Anthropic: the type and the message, whole", async () => {
    const reply = await ask("anthropic", "anthropic", recorded[3]?.[2] ?? {});
    expect(errorOf(reply)).toEqual({
      type: "invalid_request_error",
      message: "prompt is too long: 207368 tokens > 200000 maximum",
      gateway_code: 40000,
      upstream_code: "invalid_request_error",
    });
    const large = await ask("anthropic", "anthropic", anthropic("Request exceeds", "request_too_large"));
    expect(errorOf(large).type).toBe("request_too_large");
  });

  test("Ark and Zhipu: their codes, on their routes", async () => {
    const body = ark("InvalidParameter.UnsupportedModel", "No.", "messages");
    expect(errorOf(await ask("ark", "ark", body))).toMatchObject({
      code: "InvalidParameter.UnsupportedModel",
      type: "BadRequest",
      param: "messages",
      gateway_code: 40000,
    });
    expect(errorOf(await ask("zhipu", "zhipu", zhipu("1214", "No.")))).toMatchObject({
      code: "1214",
      type: "invalid_request_error",
      gateway_code: 40000,
    });
  });

  test("Gemini: status, reasons and wrong fields, and no other detail", async () => {
    const rpc = "type.googleapis.com/google.rpc";
    const details = [
      {
        "@type": `${rpc}.ErrorInfo`,
        reason: "SOME_REASON",
        domain: "x",
        metadata: { consumer: "projects/7" },
      },
      {
        "@type": `${rpc}.BadRequest`,
        fieldViolations: [{ field: "contents[0]", description: "Bad at 10.0.0.7" }],
      },
      { "@type": `${rpc}.DebugInfo`, detail: "projects/7" },
    ];
    const body = { error: { code: 400, message: "No.", status: "FAILED_PRECONDITION", details } };
    const reply = await ask("gemini", "gemini", body);
    expect(errorOf(reply)).toEqual({
      code: 400,
      message: "No.",
      status: "FAILED_PRECONDITION",
      details: [
        { "@type": `${rpc}.ErrorInfo`, reason: "SOME_REASON" },
        {
          "@type": `${rpc}.BadRequest`,
          fieldViolations: [{ field: "contents[0]", description: "Bad at [address]" }],
        },
      ],
      gateway_code: 400_00,
      upstream_code: "FAILED_PRECONDITION",
    });
  });
});

test("nothing confidential stands in any of the names", async () => {
  const key = "upstream-secret";
  for (const client of Object.keys(clients) as Client[]) {
    for (const vendor of ["openai", "anthropic", "gemini", "ark", "zhipu"] as const) {
      const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: key };
      const error = { code: key, type: key, status: key, param: key, message: key, details: [info] };
      const reply = await ask(client, vendor, { type: "error", error });
      expect(reply.text).not.toContain(key);
      expect(JSON.stringify(memory.logs)).not.toContain(key);
    }
  }
});

test("the log line of a refused request has the names, and never the provider's sentence", async () => {
  const body = openai("Invalid value: 'my secret plan'", "invalid_value", "messages[0].content");
  await ask("openai", "openai", body);
  expect(memory.logs).toContainEqual({
    event: "request_refused",
    fields: expect.objectContaining({
      provider: "openai",
      code: 40000,
      upstream_status: 400,
      upstream_code: "invalid_value",
      upstream_param: "messages[0].content",
    }) as object,
  });
  expect(JSON.stringify(memory.logs)).not.toContain("secret plan");
});
