/** Vertex AI's form of a request, held against what Google's and Anthropic's SDKs send there for the same call. */
import Anthropic from "@anthropic-ai/sdk";
import { AnthropicVertex } from "@anthropic-ai/vertex-sdk";
import { OAuth2Client } from "google-auth-library";
import { describe, expect, test } from "vitest";
import type { HostedCall } from "#shared/calls/upstreams/hosts/host.ts";
import { vertex } from "#shared/calls/upstreams/hosts/vertex.ts";

const waits = { connectMs: 1, firstByteMs: 1, idleMs: 1 };
const project = "/v1/projects/acme/locations/global";

/** What the host makes of a request: path, headers and body. */
function hosted(path: string, body: string, call: HostedCall, headers: Record<string, string> = {}) {
  const asked = { method: "POST", path, headers, body: Buffer.from(body), ...waits };
  const { body: sent, ...rest } = vertex.request(asked, call);
  return { ...rest, body: Buffer.concat(sent as Buffer[]).toString() };
}

interface Sent {
  path: string;
  headers: Headers;
  body: string;
}

/** A `fetch` that keeps what it is given, and answers nothing of use. */
function keeper() {
  const sent: Sent[] = [];
  const fetch = async (url: string | URL | Request, init?: RequestInit) => {
    const { pathname } = new URL(String(url));
    sent.push({ path: pathname, headers: new Headers(init?.headers), body: String(init?.body) });
    return Response.json({ type: "message", content: [], input_tokens: 1 });
  };
  return { sent, fetch };
}

describe("Anthropic's models", () => {
  const asked = {
    model: "claude-sonnet-4-5@20250929",
    max_tokens: 20,
    messages: [{ role: "user" as const, content: "Hi “you”" }],
  };
  const { max_tokens: _, ...counted } = asked;
  type Ask = (client: Anthropic) => PromiseLike<unknown>;
  const calls: [what: string, protocol: string, stream: boolean, ask: Ask][] = [
    ["a whole message", "anthropic", false, (client) => client.messages.create(asked)],
    ["a stream", "anthropic", true, (client) => client.messages.create({ ...asked, stream: true })],
    [
      "a call with betas",
      "anthropic",
      false,
      (client) => client.beta.messages.create({ ...asked, betas: ["context-1m-2025-08-07"] }),
    ],
    ["a count", "anthropic-count", false, (client) => client.messages.countTokens(counted)],
  ];

  test.each(calls)(
    "are asked for %s as Anthropic's SDK for Vertex AI asks",
    async (_, protocol, stream, ask) => {
      const [plain, theirs] = [keeper(), keeper()];
      await ask(new Anthropic({ apiKey: "k", baseURL: "https://anthropic.test", fetch: plain.fetch }));
      const authClient = new OAuth2Client();
      authClient.setCredentials({ access_token: "t", expiry_date: Date.now() + 3_600_000 });
      const place = { projectId: "acme", region: "global", authClient, fetch: theirs.fetch };
      await ask(new AnthropicVertex(place) as unknown as Anthropic);
      const [given, expected] = [plain.sent[0], theirs.sent[0]];
      const version = given?.headers.get("anthropic-version") ?? "";
      const beta = given?.headers.get("anthropic-beta");
      const ours = hosted(
        given?.path ?? "",
        given?.body ?? "",
        { protocol, model: asked.model, stream },
        {
          "anthropic-version": version,
          ...(beta && { "anthropic-beta": beta }),
        },
      );
      expect(decodeURIComponent(project + ours.path)).toBe(decodeURIComponent(expected?.path ?? ""));
      expect(JSON.parse(ours.body)).toEqual(JSON.parse(expected?.body ?? ""));
      expect(ours.headers).toEqual(beta ? { "anthropic-beta": expected?.headers.get("anthropic-beta") } : {});
    },
  );

  test("are asked in the documented version where the client names none, and the rest keeps its bytes", () => {
    const call = { protocol: "anthropic", model: "claude-opus-4-8", stream: false };
    const body = '{ "model":"x", "max_tokens" : 1e2,"messages":[{"role":"user","content":"\\u0041"}]}';
    const { body: sent } = hosted("/v1/messages", body, call, { "anthropic-version": "2023-06-01" });
    expect(sent).toBe(
      '{"anthropic_version":"vertex-2023-10-16","max_tokens" : 1e2,"messages":[{"role":"user","content":"\\u0041"}]}',
    );
  });

  test("are asked without betas that Vertex AI refuses, which are named; a count is asked without any", () => {
    const call = { protocol: "anthropic", model: "claude-opus-4-8", stream: false };
    const asking = (beta: string, protocol = "anthropic") => {
      const { headers, dropped } = hosted(
        "/v1/messages",
        "{}",
        { ...call, protocol },
        { "anthropic-beta": beta },
      );
      return [headers["anthropic-beta"], dropped];
    };
    expect(asking("claude-code-20250219, context-1m-2025-08-07")).toEqual([
      "context-1m-2025-08-07",
      ["anthropic-beta"],
    ]);
    expect(asking("tool-search-tool-2025-10-19,advanced-tool-use-2025-11-20")).toEqual([
      "tool-search-tool-2025-10-19",
      undefined,
    ]);
    expect(asking("effort-2025-11-24")).toEqual([undefined, ["anthropic-beta"]]);
    expect(asking("context-1m-2025-08-07", "anthropic-count")).toEqual([undefined, undefined]);
  });
});

describe("Gemini", () => {
  const model = "gemini-2.5-flash";

  test("is asked at Google's publisher, byte for byte", () => {
    const body = '{"contents": [{"parts":[{"text":"\\u0041"}]}]}';
    const path = `/v1beta/models/${model}:streamGenerateContent?alt=sse`;
    expect(hosted(path, body, { protocol: "gemini", model, stream: true })).toEqual({
      path: `/publishers/google/models/${model}:streamGenerateContent?alt=sse`,
      headers: {},
      body,
    });
  });

  test.each([
    ['"serviceTier": "PRIORITY"', "priority"],
    ['"service_tier":"SERVICE_TIER_FLEX"', "flex"],
    ['"serviceTier":"flex"', "flex"],
    ['"serviceTier":"standard"', undefined],
    ['"serviceTier":"SERVICE_TIER_UNSPECIFIED"', undefined],
    ['"serviceTier":null', undefined],
  ])("is asked for the tier of %s by a header, and not in the body", (member, tier) => {
    const call = { protocol: "gemini", model, stream: false };
    const { headers, body } = hosted(
      `/v1beta/models/${model}:generateContent`,
      `{"contents":[],${member}}`,
      call,
    );
    expect(body).toBe('{"contents":[]}');
    expect(headers).toEqual(tier ? { "x-vertex-ai-llm-shared-request-type": tier } : {});
  });

  test("is given no name of a model in the body, and counts the members of a whole request", () => {
    const call = { protocol: "gemini-count", model, stream: false };
    const whole = `{"model":"models/${model}","contents":[],"tools":[]}`;
    for (const name of ["generateContentRequest", "generate_content_request"])
      expect(hosted(`/v1beta/models/${model}:countTokens`, `{"${name}":${whole}}`, call).body).toBe(
        '{"contents":[],"tools":[]}',
      );
    expect(hosted(`/v1beta/models/${model}:countTokens`, whole, call).body).toBe(
      '{"contents":[],"tools":[]}',
    );
  });
});
