/** The error catalog against contract §7, and each style's body against hand-written goldens. */
import { describe, expect, test } from "vitest";
import { type ErrorDetail, type ErrorKey, errorCodes, statusOf } from "#shared/base/errors.ts";
import { errorReply } from "#shared/base/http/error-styles.ts";
import type { ErrorStyle } from "#shared/base/http/routes.ts";

/** Contract §7.3, row by row: code and type. Code 40202 has no type there; design §4 gives it one. */
const contract: [code: number, type: string][] = [
  [40000, "invalid_request_error"],
  [40001, "invalid_request_error"],
  [40002, "invalid_request_error"],
  [40003, "invalid_request_error"],
  [40100, "authentication_error"],
  [40101, "authentication_error"],
  [40102, "authentication_error"],
  [40103, "authentication_error"],
  [40110, "authentication_error"],
  [40111, "authentication_error"],
  [40112, "authentication_error"],
  [40113, "authentication_error"],
  [40201, "quota_exceeded"],
  [40202, "quota_exceeded"],
  [40300, "invalid_request_error"],
  [40400, "not_found_error"],
  [40401, "not_found_error"],
  [40410, "not_found_error"],
  [40411, "not_found_error"],
  [42900, "rate_limit_error"],
  [42901, "rate_limit_error"],
  [42902, "rate_limit_error"],
  [42910, "rate_limit_error"],
  [50000, "server_error"],
  [50001, "server_error"],
  [50002, "server_error"],
  [50004, "server_error"],
  [50005, "server_error"],
];

describe("the catalog", () => {
  test.each(contract)("%i is %s, and its status is the code by 100", (code, type) => {
    const all = Object.entries(errorCodes);
    const [key = "", entry] = all.find(([, candidate]) => candidate.code === code) ?? [];
    expect(entry?.type).toBe(type);
    if (key in errorCodes) expect(statusOf(key as ErrorKey)).toBe(Math.floor(code / 100));
  });

  test("no code is given twice", () => {
    const codes = Object.values(errorCodes).map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
  });
});

const goldens: [style: ErrorStyle, key: ErrorKey, body: object][] = [
  ["standard", "invalid_key", { error: { type: "authentication_error", code: 40101, message: "m" } }],
  [
    "openai",
    "not_found",
    { error: { type: "not_found_error", code: "40400", message: "m", param: "model" } },
  ],
  ["anthropic", "insufficient_balance", { type: "error", error: { type: "billing_error", message: "m" } }],
  ["anthropic", "permission_denied", { type: "error", error: { type: "permission_error", message: "m" } }],
  ["anthropic", "too_large", { type: "error", error: { type: "request_too_large", message: "m" } }],
  ["anthropic", "upstream_error", { type: "error", error: { type: "api_error", message: "m" } }],
  [
    "anthropic_superset",
    "rate_limited",
    { type: "error", error: { type: "rate_limit_error", code: 42901, message: "m" } },
  ],
  ["anthropic", "idempotency_conflict", { type: "error", error: { type: "conflict_error", message: "m" } }],
  ["gemini", "idempotency_conflict", { error: { code: 409, message: "m", status: "ABORTED" } }],
  [
    "volcengine",
    "not_authenticated",
    { error: { code: "AuthenticationError", message: "m", param: "model", type: "Unauthorized" } },
  ],
  [
    "volcengine",
    "quota_exhausted",
    { error: { code: "QuotaExceeded", message: "m", param: "model", type: "TooManyRequests" } },
  ],
  [
    "volcengine",
    "no_channel",
    { error: { code: "InternalServiceError", message: "m", param: "model", type: "InternalServerError" } },
  ],
  ["gemini", "insufficient_balance", { error: { code: 402, message: "m", status: "RESOURCE_EXHAUSTED" } }],
  ["gemini", "invalid_request", { error: { code: 400, message: "m", status: "INVALID_ARGUMENT" } }],
  ["gemini", "internal", { error: { code: 500, message: "m", status: "INTERNAL" } }],
  ["aws", "invalid_key", { message: "m", code: 40101, type: "authentication_error" }],
  ["aws", "quota_exhausted", { message: "m", code: 42902, type: "rate_limit_error" }],
  ["video", "not_found", { error: { code: "NOT_FOUND", message: "m" } }],
  ["video", "insufficient_balance", { error: { code: "INSUFFICIENT_BALANCE", message: "m" } }],
  ["video", "quota_exhausted", { error: { code: "QUOTA_EXCEEDED", message: "m" } }],
  ["video", "invalid_state", { error: { code: "INVALID_STATE", message: "m" } }],
  ["video", "upstream_cancel_failed", { error: { code: "UPSTREAM_CANCEL_FAILED", message: "m" } }],
  ["video", "upstream_error", { error: { code: "UPSTREAM_ERROR", message: "m" } }],
  [
    "problem",
    "invalid_request",
    {
      type: "about:blank",
      title: "Bad Request",
      status: 400,
      detail: "m",
      errors: [{ code: 40000, type: "invalid_request_error", message: "m" }],
    },
  ],
];

describe("styles", () => {
  test.each(goldens)("%s renders %s", (style, key, body) => {
    const reply = errorReply(style, key, { message: "m", param: "model" });
    expect(JSON.parse(reply.body as string)).toEqual(body);
    expect(reply.status).toBe(statusOf(key));
    expect(reply.headers["content-type"]).toBe(
      style === "problem" ? "application/problem+json" : "application/json",
    );
  });

  test.each([
    ["invalid_request", "ValidationException"],
    ["method_not_allowed", "ValidationException"],
    ["too_large", "ValidationException"],
    ["not_authenticated", "UnrecognizedClientException"],
    ["insufficient_balance", "ServiceQuotaExceededException"],
    ["permission_denied", "AccessDeniedException"],
    ["not_found", "ResourceNotFoundException"],
    ["idempotency_conflict", "ConflictException"],
    ["rate_limited", "ThrottlingException"],
    ["quota_exhausted", "ServiceQuotaExceededException"],
    ["upstream_error", "ModelErrorException"],
    ["no_channel", "ServiceUnavailableException"],
    ["internal", "InternalServerException"],
  ] as const)("AWS's SDKs are told the type of %s in a header, and no other style has one", (key, type) => {
    expect(errorReply("aws", key).headers["x-amzn-errortype"]).toBe(type);
    expect(errorReply("openai", key).headers).not.toHaveProperty("x-amzn-errortype");
  });

  test("SDKs are told not to repeat what cannot get better", () => {
    for (const key of ["quota_exhausted", "idempotency_conflict"] as const)
      expect(errorReply("openai", key).headers["x-should-retry"]).toBe("false");
    for (const key of ["quota_exhausted", "invalid_state", "upstream_cancel_failed"] as const)
      expect(errorReply("video", key).headers["x-should-retry"]).toBe("false");
    expect(errorReply("openai", "rate_limited").headers["x-should-retry"]).toBeUndefined();
  });

  test("a 401 says in every style how to authenticate, and no other error does", () => {
    const styles = [...new Set(goldens.map(([style]) => style)), "anthropic_superset"] as ErrorStyle[];
    for (const style of styles) {
      for (const key of Object.keys(errorCodes) as ErrorKey[]) {
        const challenge = errorReply(style, key).headers["www-authenticate"];
        if (statusOf(key) !== 401) expect(challenge).toBeUndefined();
        else expect(challenge).toMatch(/^Bearer realm="model-gateway"(, error="invalid_token")?$/);
        expect(challenge?.includes("invalid_token") ?? false).toBe(key === "invalid_key");
      }
    }
  });

  test("a reason is told by the console's API only, which names it apart", () => {
    const errorOf = (detail: ErrorDetail) =>
      JSON.parse(errorReply("standard", "invalid_request", detail).body as string).error;
    expect(errorOf({ reason: "keys_full", param: "name" })).not.toHaveProperty("reason");
    expect(errorOf({ told_reason: "keys_full" }).reason).toBe("keys_full");
  });

  test("what the provider called it is told, where it blamed the request", () => {
    const reply = errorReply("openai", "invalid_request", { upstream_code: "context_length_exceeded" });
    expect(JSON.parse(reply.body as string).error.upstream_code).toBe("context_length_exceeded");
  });
});
