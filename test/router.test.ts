/** The route table: every row is found, and what is no row answers in its family's style (contract §7.1). */
import { describe, expect, test } from "vitest";
import { match, styleOf } from "#shared/http/router.ts";
import { routes } from "#shared/http/routes.ts";

describe("match", () => {
  test.each(routes.map((route) => [route.method, route.path, route] as const))(
    "%s %s",
    (method, path, route) => {
      const asked = path.replace(/\{\w+\}/, "acme/x-1");
      expect(match(method, asked)).toEqual({
        found: true,
        route,
        parameter: path.includes("{") ? "acme/x-1" : "",
      });
    },
  );

  test.each([
    ["/v1/models/acme/x-1", "acme/x-1"],
    ["/v1/models/acme%2Fx-1", "acme/x-1"],
    ["/v1/models/acme%2fx%201", "acme/x 1"],
  ])("%s has the parameter %s", (path, parameter) => {
    expect(match("GET", path)).toMatchObject({ found: true, parameter });
  });

  test.each([
    ["GET", "/v1/chat/completions", "method_not_allowed", "openai", "POST"],
    ["PUT", "/api/v1/keys", "method_not_allowed", "standard", "POST, GET"],
    ["POST", "/v1/models/x", "method_not_allowed", "openai", "GET"],
    ["GET", "/v1/models/", "not_found", "openai", ""],
    ["GET", "/v1/models/%zz", "not_found", "openai", ""],
    ["GET", "/", "not_found", "standard", ""],
    ["POST", "/v1/unknown", "not_found", "openai", ""],
    ["POST", "/v1/messages/unknown", "not_found", "anthropic", ""],
    ["POST", "/v1/messagesX", "not_found", "openai", ""],
    ["POST", "/api/v1/messages/batches", "not_found", "anthropic_superset", ""],
    ["POST", "/api/anthropic/v1/x", "not_found", "anthropic_superset", ""],
    ["POST", "/api/v0/x", "not_found", "openai", ""],
    ["POST", "/api/paas/v4/x", "not_found", "openai", ""],
    ["POST", "/api/v3/x", "not_found", "volcengine", ""],
    ["GET", "/api/v3/contents/x", "not_found", "video", ""],
    ["POST", "/api/v1beta/none", "not_found", "gemini", ""],
    ["GET", "/api/business/v1/x", "not_found", "problem", ""],
    ["GET", "/api/v1/x", "not_found", "standard", ""],
    ["GET", "/%2e%2e/v1/chat/completions", "not_found", "standard", ""],
  ])("%s %s is %s in the style %s", (method, path, error, style, allow) => {
    expect(match(method, path)).toEqual({ found: false, error, style, allow });
  });

  test("a family's prefix ends at a segment's border", () => {
    expect(styleOf("/v1")).toBe("openai");
    expect(styleOf("/v10")).toBe("standard");
  });
});
