/** The route table: every row is found, and what is no row answers in its family's style (contract §7.1). */
import { describe, expect, test } from "vitest";
import { match, styleOf } from "#shared/base/http/router.ts";
import { routes } from "#shared/base/http/routes.ts";

/** What says whose client asks. */
const headersOf = {
  anthropic: { "anthropic-version": "2023-06-01" },
  gemini: { "x-goog-api-key": "sk-payg-1" },
};

describe("match", () => {
  test.each(routes.map((route) => [route.method, route.path, route] as const))(
    "%s %s",
    (method, path, route) => {
      const value = path.includes("{model_action}") ? "acme/x-1:generateContent" : "acme/x-1";
      const asked = path.replace(/\{\w+\}/, value);
      expect(match(method, asked, route.client && headersOf[route.client])).toEqual({
        found: true,
        route,
        parameter: path.includes("{") ? value : "",
      });
    },
  );

  test.each(["/", "/health", "/openapi.json", "/docs", "/docs/a.css"])("HEAD %s is what GET is", (path) => {
    expect(match("HEAD", path)).toEqual(match("GET", path));
    expect(match("HEAD", path).found).toBe(true);
  });

  test.each([
    ["/v1/models/acme/x-1", "acme/x-1"],
    ["/v1/models/acme%2Fx-1", "acme/x-1"],
    ["/v1/models/acme%2fx%201", "acme/x 1"],
  ])("%s has the parameter %s", (path, parameter) => {
    expect(match("GET", path)).toMatchObject({ found: true, parameter });
  });

  test.each([
    ["PUT", "/v1/chat/completions", "method_not_allowed", "openai", "POST"],
    ["GET", "/v1/embeddings", "method_not_allowed", "openai", "POST"],
    ["PUT", "/api/v1/keys", "method_not_allowed", "standard", "POST, GET"],
    ["PUT", "/v1/models/x", "method_not_allowed", "openai", "POST, GET"],
    ["POST", "/v1/models", "method_not_allowed", "openai", "GET"],
    ["GET", "/v1/models/", "not_found", "openai", ""],
    ["GET", "/v1/models/%zz", "not_found", "openai", ""],
    ["POST", "/", "method_not_allowed", "standard", "GET, HEAD"],
    ["POST", "/docs/a.css", "method_not_allowed", "standard", "GET, HEAD"],
    ["HEAD", "/v1/models", "method_not_allowed", "openai", "GET"],
    ["GET", "/docs/", "not_found", "standard", ""],
    ["POST", "/v1/unknown", "not_found", "openai", ""],
    ["POST", "/v1/messages/unknown", "not_found", "anthropic", ""],
    ["POST", "/v1/messagesX", "not_found", "openai", ""],
    ["POST", "/api/v1/messages/unknown", "not_found", "anthropic_superset", ""],
    ["POST", "/api/anthropic/v1/x", "not_found", "anthropic_superset", ""],
    ["POST", "/api/v0/x", "not_found", "openai", ""],
    ["POST", "/api/paas/v4/x", "not_found", "openai", ""],
    ["POST", "/api/v3/x", "not_found", "volcengine", ""],
    ["GET", "/api/v3/contents/x", "not_found", "video", ""],
    ["POST", "/api/v1beta/none", "not_found", "gemini", ""],
    ["POST", "/v1beta/none", "not_found", "gemini", ""],
    ["POST", "/upload/v1beta/none", "not_found", "gemini", ""],
    ["GET", "/api/business/v1/x", "not_found", "problem", ""],
    ["GET", "/api/v1/x", "not_found", "standard", ""],
    ["GET", "/%2e%2e/v1/chat/completions", "not_found", "standard", ""],
  ])("%s %s is %s in the style %s", (method, path, error, style, allow) => {
    expect(match(method, path)).toMatchObject({ found: false, error, style, allow });
  });

  test("another method is told which ones the path takes", () => {
    expect(match("PUT", "/api/v1/keys")).toHaveProperty(
      "message",
      "This path does not support PUT. It takes POST, GET.",
    );
    expect(match("<b>", "/v1/embeddings")).toHaveProperty(
      "message",
      "This path does not support this method. It takes POST.",
    );
  });

  const inV1 = "chat/completions, responses, embeddings, images/generations, images/edits, models";
  test.each([
    ["GET", "/v1/files/file-1", `The files API is not offered by this gateway. Under /v1 it offers ${inV1}.`],
    [
      "POST",
      "/v1/vector_stores",
      `The vector stores API is not offered by this gateway. Under /v1 it offers ${inV1}.`,
    ],
    ["GET", "/v1/chat/completions", "The stored chat completions API is not offered by this gateway."],
    ["POST", "/v1/chat/completions/x", "The stored chat completions API is not offered by this gateway."],
    ["GET", "/v1/responses/resp_1/input_items", "The stored responses API is not offered by this gateway."],
    ["POST", "/v1/responses/compact", "The responses compact API is not offered by this gateway."],
    ["DELETE", "/v1/models/acme/x", "The model management API is not offered by this gateway."],
    ["POST", "/v1/completions", "is not offered by this gateway. Use POST /v1/chat/completions. Under"],
    [
      "POST",
      "/v1beta/models/acme/x:predict",
      "The predict API is not offered by this gateway. Under /v1beta it",
    ],
    ["GET", "/v1beta/models/acme/x/operations/1", "The operations API is not offered by this gateway."],
    [
      "POST",
      "/api/upload/v1beta/files",
      "The files API is not offered by this gateway. Under /api/v1beta it",
    ],
    ["GET", "/ws/google.ai.generativelanguage.v1beta.X.Y", "The live API is not offered by this gateway."],
    [
      "POST",
      "/api/paas/v4/v1/agents",
      "The agents API is not offered by this gateway. Under /api/paas/v4 it",
    ],
    ["POST", "/v1/v1/messages", "This path is not offered by this gateway. Did you mean POST /v1/messages?"],
    ["POST", "/v1//chat/completions", "Did you mean POST /v1/chat/completions?"],
    ["POST", "//v1/chat/completions", "Did you mean POST /v1/chat/completions?"],
    ["POST", "/api/v1/chat/completions/", "Did you mean POST /api/v1/chat/completions?"],
    ["POST", "/api/v1//messages/", "Did you mean POST /api/v1/messages?"],
    ["GET", "/v1/models/", "Did you mean GET /v1/models?"],
    ["POST", "/api/v3//contents/generations/tasks", "Did you mean POST /api/v3/contents/generations/tasks?"],
    ["DELETE", "/api/v1/keys/", "Did you mean DELETE /api/v1/keys/{id}?"],
    [
      "POST",
      "/v1/chat/completion",
      "This path is not offered by this gateway. Did you mean POST /v1/chat/completions?",
    ],
    ["POST", "/v1/Responses", "Did you mean POST /v1/responses?"],
    ["POST", "/api/v3/embedding", "Did you mean POST /api/v3/embeddings?"],
    ["GET", "/v1/model", "Did you mean GET /v1/models?"],
    ["POST", "/chat/completions", "Did you mean POST /v1/chat/completions?"],
    ["GET", "/api/v0/models", "Did you mean GET /v1/models?"],
    ["POST", "/models/acme/x:generateContent", "Did you mean POST /v1beta/models/{model}:{action}?"],
  ])("%s %s: %s", (method, path, message) => {
    const found = match(method, path);
    expect(found).toMatchObject({ found: false, error: "not_found", allow: "" });
    expect(found).toHaveProperty("message", expect.stringContaining(message));
  });

  test.each([
    ["POST", `/v1/${"x".repeat(41)}`],
    ["POST", "/v1/%3Cscript%3E"],
    ["POST", "/v2/files"],
    ["GET", "/favicon.ico"],
  ])("%s %s is not told back", (method, path) => {
    expect(match(method, path)).not.toHaveProperty("message");
  });

  test.each([
    ["/v1/none", "openai", "anthropic", "gemini"],
    ["/api/v1/none", "standard", "anthropic_superset", "gemini"],
    ["/none", "standard", "anthropic_superset", "gemini"],
    ["/api/v3/none", "volcengine", "volcengine", "volcengine"],
    ["/v1beta/none", "gemini", "gemini", "gemini"],
  ])("%s is answered in the form of the client that asks", (path, anybody, anthropic, gemini) => {
    expect(match("GET", path)).toMatchObject({ found: false, style: anybody });
    expect(match("GET", path, headersOf.anthropic)).toMatchObject({ found: false, style: anthropic });
    expect(match("GET", path, headersOf.gemini)).toMatchObject({ found: false, style: gemini });
  });

  test("an error of a path that is a route has the style of the route", () => {
    const other = routes.filter(({ path, style, client }) => styleOf(path, client) !== style);
    expect(other.map(({ method, path }) => `${method} ${path}`)).toEqual(
      // Only Gemini's clients send these, and the routes themselves answer them in Gemini's style.
      ["/v1", "/api/v1"].flatMap((base) =>
        ["countTokens", "embedContent", "batchEmbedContents"]
          .map((action) => `POST ${base}/models/{model}:${action}`)
          .concat(`POST ${base}/models/{model_action}`),
      ),
    );
  });

  test("a family's prefix ends at a segment's border", () => {
    expect(styleOf("/v1")).toBe("openai");
    expect(styleOf("/v10")).toBe("standard");
  });
});
