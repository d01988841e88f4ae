/**
 * The rules by which the providers of the tests refuse: each has a body that breaks it, and one next to
 * it that does not.
 */
import { describe, expect, test } from "vitest";
import type { Json } from "#infra/local/demo/strictness/rule.ts";
import { isIssued, issueSignature } from "#infra/local/demo/strictness/signatures.ts";
import { refusalAt, refusalOf, rules, type Vendor } from "#infra/local/demo/strictness.ts";
import { bases, type Case, hello, stops } from "#test/support/strictness/cases.ts";
import { claudeCases } from "#test/support/strictness/cases-claude.ts";
import { converseCases } from "#test/support/strictness/cases-converse.ts";
import {
  chatFormCases,
  claudeFormCases,
  geminiFormCases,
  responsesFormCases,
} from "#test/support/strictness/cases-forms.ts";
import { geminiCases } from "#test/support/strictness/cases-gemini.ts";
import { chatCases, responsesCases } from "#test/support/strictness/cases-openai.ts";
import { vendorCases } from "#test/support/strictness/cases-vendors.ts";
import { startUpstream } from "#test/support/upstream.ts";
import { startVendors } from "#test/support/vendors.ts";

const thinks = (thinkingConfig: Json) => ({ generationConfig: { thinkingConfig } });

const cases: Record<Vendor, Case[]> = {
  ...vendorCases,
  anthropic: [...claudeCases, ...claudeFormCases],
  openai: [...chatCases, ...chatFormCases("gpt-4.1")],
  responses: [...responsesCases, ...responsesFormCases],
  gemini: [...geminiCases, ...geminiFormCases],
  converse: converseCases,
  zhipu: [
    ...chatFormCases("glm-5.1"),
    ["a choice of tool other than auto", "glm-5.1", { tool_choice: "none" }, { tool_choice: "auto" }],
    ["more than one stop", "glm-5.1", { stop: stops(2) }, { stop: stops(1) }],
    ["temperature above 1", "glm-5.1", { temperature: 1.1 }, { temperature: 1 }],
    ["OpenAI's developer", "glm-5.1", { messages: [{ role: "developer", content: "Be brief." }] }, {}],
  ],
  ark: [
    ...chatFormCases("doubao-seed-1-8-251228"),
    ["more than four stops", "doubao-seed-1-8-251228", { stop: stops(5) }, { stop: stops(4) }],
    [
      "an unknown word for effort",
      "doubao-seed-2-0-pro-260215",
      { reasoning_effort: "xhigh" },
      { reasoning_effort: "minimal" },
    ],
    [
      "an unknown switch of thinking",
      "doubao-seed-1-8-251228",
      { thinking: { type: "adaptive" } },
      { thinking: { type: "auto" } },
    ],
  ],
  minimax: [
    ...chatFormCases("MiniMax-M3"),
    ["more than one answer", "MiniMax-M2", { n: 2 }, { n: 1 }],
    [
      "an unknown type of thinking",
      "MiniMax-M3",
      { thinking: { type: "enabled" } },
      { thinking: { type: "adaptive" } },
    ],
  ],
};
const vendors = Object.keys(cases) as Vendor[];
const rows = vendors.flatMap((vendor) =>
  cases[vendor].map(([rule, model, ...rest]): [Vendor, string, string, ...typeof rest] => [
    vendor,
    rule,
    model,
    ...rest,
  ]),
);
const bodyOf = (vendor: Vendor, more: Json) =>
  JSON.parse(JSON.stringify({ ...bases[vendor], ...more })) as Json;

describe("the providers of the tests refuse what the real ones refuse", () => {
  test.each(rows)("%s: %s of %s", (vendor, rule, model, refused, taken, headers = {}) => {
    const ask = (more: Json) => refusalOf(vendor, model, bodyOf(vendor, more), headers);
    expect(ask(refused)).toMatchObject({ status: 400, rule });
    expect(ask(taken)).toBeUndefined();
    expect(ask({})).toBeUndefined();
    const holdsForAll = rules[vendor].find(({ name }) => name === rule)?.models.test("upstream");
    expect(refusalOf(vendor, "upstream", bodyOf(vendor, refused))?.rule).toBe(holdsForAll ? rule : undefined);
  });

  test.each(vendors)("every rule of %s has a body that breaks it, and its source", (vendor) => {
    const broken = new Set(cases[vendor].map(([rule]) => rule));
    expect([...broken].sort()).toEqual([...new Set(rules[vendor].map(({ name }) => name))].sort());
    for (const { source } of rules[vendor]) expect(source).toMatch(/\w/);
  });

  test("in their own error forms", () => {
    const body = (vendor: Vendor, model: string, more: Json) =>
      refusalOf(vendor, model, bodyOf(vendor, more))?.body;
    expect(body("anthropic", "claude-haiku-4-5", { output_config: { effort: "low" } })).toEqual({
      type: "error",
      error: { type: "invalid_request_error", message: "This model does not support the effort parameter." },
      request_id: "req_strict",
    });
    expect(body("openai", "gpt-5.6-sol", { temperature: 0.2 })).toEqual({
      error: {
        message:
          "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
        type: "invalid_request_error",
        param: "temperature",
        code: "unsupported_value",
      },
    });
    expect(body("responses", "gpt-5.6-sol", { temperature: 0.2 })).toEqual({
      error: {
        message: "Unsupported parameter: 'temperature' is not supported with this model.",
        type: "invalid_request_error",
        param: "temperature",
        code: null,
      },
    });
    expect(body("gemini", "gemini-2.5-pro", thinks({ thinkingBudget: 0 }))).toEqual({
      error: {
        code: 400,
        message: "Budget 0 is invalid. This model only works in thinking mode.",
        status: "INVALID_ARGUMENT",
      },
    });
    expect(body("converse", "m", { system: [{ text: "" }] })).toEqual({
      message: "The text field in the SystemContentBlock object at system is blank.",
    });
    expect(body("zhipu", "glm-5", { tool_choice: "none" })).toEqual({
      error: { code: "1214", message: "Tool choice must be auto" },
    });
    expect(body("minimax", "MiniMax-M3", { n: 2 })).toMatchObject({ error: { http_code: "400" } });
    expect(body("mistral", "m", { user: "u" })).toMatchObject({ object: "error", code: null });
    expect(body("cohere", "c", { store: true })).toMatchObject({ message: "unsupported parameter: store" });
    expect(body("xai", "grok-4.3", { stop: "END" })).toMatchObject({
      error: expect.stringContaining("stop"),
    });
    expect(body("siliconflow", "s", { thinking_budget: 1 })).toMatchObject({ code: 20_015 });
    expect(body("groq", "g", { store: true })).toMatchObject({ error: { type: "invalid_request_error" } });
    expect(body("ark", "doubao-seed-1-8-251228", { stop: stops(5) })).toMatchObject({
      error: { code: "InvalidParameter", param: "stop", type: "BadRequest" },
    });
  });
});

test("a provider knows a request by its path and its model's name", () => {
  const rule = (path: string, body: Json) => refusalAt(path, body)?.rule;
  const chat = (model: string, more: Json) =>
    rule("/v1/chat/completions", { model, messages: hello, ...more });
  expect(chat("gpt-5.6-sol", { max_tokens: 9 })).toBe("max_tokens");
  expect(chat("glm-5.1", { tool_choice: "none" })).toBe("a choice of tool other than auto");
  expect(chat("doubao-seed-1-8-251228", { stop: stops(5) })).toBe("more than four stops");
  expect(chat("MiniMax-M2.5", { n: 2 })).toBe("more than one answer");
  expect(chat("upstream", { n: 2 })).toBeUndefined();
  expect(rule("/mistral/openai/chat/completions", { model: "gpt-4.1", store: true })).toBe("unknown members");
  expect(rule("/v1/responses", { model: "gpt-5.6-sol", stop: "END" })).toBe("unknown members");
  expect(rule("/anthropic/v1/messages?beta=true", { model: "claude-haiku-4-5" })).toBe("no max_tokens");
  expect(rule("/v1/messages/count_tokens", { model: "claude-haiku-4-5" })).toBeUndefined();
  expect(rule("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", {})).toBe("no contents");
  expect(rule("/model/amazon.nova-lite-v1%3A0/converse-stream", { messages: [] })).toBe(
    "a first turn that is not the user's",
  );
  expect(rule("/v1/embeddings", { model: "gpt-5.6-sol", stop: "END" })).toBeUndefined();
});

test("signatures are known by who issued them, in either alphabet of base64", () => {
  const signers = ["anthropic", "openai", "gemini"] as const;
  for (const signer of signers) {
    for (const about of ["", "a:b", "Some reasoning???>>>"]) {
      const signature = issueSignature(signer, about);
      expect(signers.filter((each) => isIssued(each, signature))).toEqual([signer]);
      expect(isIssued(signer, signature.replaceAll("+", "-").replaceAll("/", "_"))).toBe(true);
      expect(isIssued(signer, `${signature.slice(0, 20)}A${signature.slice(21)}`)).toBe(false);
    }
    for (const odd of ["", "sig", undefined, 7]) expect(isIssued(signer, odd)).toBe(false);
  }
});

describe("the servers that play the providers", () => {
  const request = (model: string) => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, max_tokens: 99, messages: hello, output_config: { effort: "low" } }),
  });

  test("refuse a model with a real name, whoever plays it, and take all others", async () => {
    const [vendor, upstream] = await Promise.all([startVendors(), startUpstream()]);
    try {
      upstream.json({ id: "msg_1" });
      for (const { url, requests } of [vendor, upstream]) {
        const refused = await fetch(`${url}/v1/messages`, request("claude-haiku-4-5"));
        expect(refused.status).toBe(400);
        expect(await refused.json()).toMatchObject({
          type: "error",
          error: { message: "This model does not support the effort parameter." },
        });
        expect((await fetch(`${url}/v1/messages`, request("upstream"))).status).toBe(200);
        expect(requests).toHaveLength(2);
      }
      const odd = await fetch(`${upstream.url}/v1/messages`, { method: "POST", body: "{" });
      expect(odd.status).toBe(200);
    } finally {
      await Promise.all([vendor.stop(), upstream.stop()]);
    }
  });
});
