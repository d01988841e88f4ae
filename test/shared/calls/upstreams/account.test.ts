/**
 * Providers that refuse our own account: an operator is told at once, other channels serve, and no client can cause it.
 */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import type { ReadyChannel } from "#shared/books/catalog/catalog.ts";
import { accountReason } from "#shared/calls/upstreams/account.ts";
import { readProviderError } from "#shared/calls/upstreams/provider-error.ts";
import { completion, useScenario } from "#test/support/scenario.ts";

const openai = (code: string, message = "No.") => ({ error: { message, type: code, code } });
const google = (reason: string) => ({
  error: {
    code: 400,
    message: "API key not valid. Please pass a valid API key.",
    status: "INVALID_ARGUMENT",
    details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason }],
  },
});
const anthropic = (type: string, message: string) => ({ type: "error", error: { type, message } });

type Refused = [name: string, status: number, body: object, reason: string | undefined];
const refused: Refused[] = [
  ["OpenAI's bad key", 401, openai("invalid_api_key"), "key"],
  ["OpenAI's used-up money, which is a 429", 429, openai("insufficient_quota"), "money"],
  ["Anthropic's bad key", 401, anthropic("authentication_error", "invalid x-api-key"), "key"],
  [
    "Anthropic's low balance, which is a 400",
    400,
    anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    "money",
  ],
  ["Anthropic's bill", 402, anthropic("billing_error", "Pay."), "money"],
  ["Google's bad key, which is a 400", 400, google("API_KEY_INVALID"), "key"],
  ["Google's place", 400, { error: { message: "User location is not supported for the API use." } }, "place"],
  ["OpenAI's place", 403, openai("unsupported_country_region_territory"), "place"],
  ["Ark's overdue account", 403, { error: { code: "AccountOverdueError", message: "Pay." } }, "money"],
  ["Ark's bad key", 401, { error: { code: "AuthenticationError", message: "No." } }, "key"],
  ["Zhipu's empty account, which is a 429", 429, { error: { code: "1113", message: "欠费" } }, "money"],
  ["Moonshot's used-up money", 429, openai("exceeded_current_quota_error"), "money"],
  ["a 402 without a body", 402, {}, "money"],
  ["a 403 without a body", 403, {}, "key"],
  ["a limit", 429, openai("rate_limit_exceeded"), undefined],
  ["Google's limit", 429, { error: { status: "RESOURCE_EXHAUSTED", message: "quota" } }, undefined],
  ["a bad request", 400, openai("invalid_value"), undefined],
  ["a prompt that is flagged", 403, openai("x", "Input requires moderation and was flagged"), undefined],
  ["a model that was not opened", 403, { error: { code: "ModelNotOpen", message: "No." } }, undefined],
  [
    "a file at Google that is gone, or another's",
    403,
    {
      error: {
        code: 403,
        message: "You do not have permission to access the File abc or it may not exist.",
        status: "PERMISSION_DENIED",
      },
    },
    undefined,
  ],
  [
    "a cache at Google that is gone",
    403,
    {
      error: {
        code: 403,
        message: "CachedContent not found (or permission denied)",
        status: "PERMISSION_DENIED",
      },
    },
    undefined,
  ],
  ["a quoted prompt", 400, openai("invalid_value", "'Your credit balance is too low'"), undefined],
];

describe("what an answer says of our account", () => {
  test.each(refused)("%s", (_, status, body, reason) => {
    expect(accountReason(status, readProviderError(Buffer.from(JSON.stringify(body))))).toBe(reason);
  });
});

describe("through the gateway", () => {
  const scenario = useScenario();
  const lines = () => scenario.memory.logs.filter(({ event }) => event === "provider_account_refused");

  test.each(refused.filter(([, , , reason]) => reason))(
    "%s rings once for each call, with the provider and the reason, and is not told to the client",
    async (_, status, body, reason) => {
      scenario.upstream.on((_request, response) => response.writeHead(status).end(JSON.stringify(body)));
      const reply = await scenario.chat();
      expect(reply.json().error).toMatchObject({ code: "50001", message: "The model's provider failed." });
      expect(reply.headers["retry-after"]).toBeUndefined();
      expect(lines()).toHaveLength(1);
      expect(lines()[0]?.fields).toMatchObject({ provider: "test", reason, upstream_status: status });
    },
  );

  test.each(refused.filter(([, , , reason]) => !reason))("%s does not ring", async (_, status, body) => {
    scenario.upstream.on((_request, response) => response.writeHead(status).end(JSON.stringify(body)));
    await scenario.chat();
    expect(lines()).toEqual([]);
  });

  test("the provider's sentence is in the line, redacted and cut", async () => {
    const message = `Key upstream-secret of org-abcdefgh123 is bad. ${"x".repeat(1000)}`;
    scenario.upstream.on((_, response) =>
      response.writeHead(401).end(JSON.stringify({ error: { message } })),
    );
    await scenario.chat();
    const said = lines()[0]?.fields.said ?? "";
    expect(said).toMatch(/^Key \[redacted\] of \[redacted\] is bad\. x+$/);
    expect(said).toHaveLength(limits.errorExcerptCharsMax);
  });

  test("its channel goes last for a minute, so that others serve", async () => {
    const model = scenario.memory.deps.catalog.find("test/model-1");
    const [first] = model?.channels ?? [];
    model?.channels.push({ ...first, id: "second", model: "second", priority: 2 } as ReadyChannel);
    scenario.upstream.on((_, response) => {
      const { model: asked } = JSON.parse(scenario.upstream.requests.at(-1)?.body.toString() ?? "") as {
        model: string;
      };
      response.writeHead(asked === "second" ? 200 : 401, { "content-type": "application/json" });
      response.end(JSON.stringify(asked === "second" ? completion : {}));
    });
    let clock = Date.now();
    scenario.memory.deps.now = () => clock;
    await scenario.chat();
    const timeLeft = 2 * limits.channelOpenMaxMs + limits.settlementReserveMs;
    clock += limits.channelOpenMaxMs - 1;
    await scenario.chat({ timeLeft });
    expect(scenario.upstream.requests).toHaveLength(3);
    clock += 1;
    await scenario.chat({ timeLeft });
    expect(scenario.upstream.requests).toHaveLength(5);
  });
});
