/** The kept OpenAPI document: it is current, valid, and says no less and no more than the tables of the code. */
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { documentFile } from "#infra/bundles/pages.ts";
import { type ErrorKey, errorCodes, statusOf } from "#shared/base/errors.ts";
import { errorBody } from "#shared/base/http/error-styles.ts";
import { match } from "#shared/base/http/router.ts";
import { type Route, routes } from "#shared/base/http/routes.ts";
import { sessionAccess } from "#shared/calls/access/sessions.ts";
import { publicOperations } from "#shared/calls/gateway/local-answers.ts";
import { answeredHeaders, requestHeaders } from "#shared/edges/openapi/header-words.ts";
import { countErrors, inferErrors, keyErrors, operations } from "#shared/edges/openapi/operations.ts";
import { sessionOf } from "#shared/edges/openapi/security.ts";
import { documentTexts } from "#shared/edges/openapi/write.ts";
import { consoleDocument, documented, faultsOf, openApi } from "#test/support/openapi.ts";

const clientHeaders = { anthropic: { "anthropic-version": "1" }, gemini: { "x-goog-api-key": "k" } };
const named = documented.map((operation) => [`${operation.method} ${operation.path}`, operation] as const);

/** The rows of the table that a method and a path of the document lead to, for every client. */
function rowsAt(method: string, path: string): Route[] {
  const asked = path.replace(/\{\w+\}/, "acme/x-1");
  return [undefined, ...Object.values(clientHeaders)].flatMap((headers) => {
    const found = match(method, asked, headers);
    return found.found ? [found.route] : [];
  });
}

test("is what `npm run openapi` writes", () => {
  expect(readFileSync(documentFile, "utf8")).toBe(documentTexts()["openapi.json"]);
});

test("is valid OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(
    structuredClone(openApi) as unknown as Record<string, unknown>,
  );
  expect(errors ?? []).toEqual([]);
  expect([valid, openApi.openapi]).toEqual([true, "3.1.0"]);
});

describe("the table of routes", () => {
  test("has every operation of the document", () => {
    expect(documented.filter(({ method, path }) => rowsAt(method, path).length === 0)).toEqual([]);
    expect(documented.length).toBeGreaterThan(80);
  });

  test("has no row that the document leaves out", () => {
    const told = new Set(documented.flatMap(({ method, path }) => rowsAt(method, path)));
    expect(routes.filter((route) => !told.has(route))).toEqual([]);
  });

  test.each(named)("%s has the error styles of its rows", (_, { method, path, ...operation }) => {
    const styles = [...new Set(rowsAt(method, path).map(({ style }) => style))];
    expect(operation["x-error-style"].toSorted()).toEqual(styles.toSorted());
  });

  test("says which operations need no key", () => {
    const keyless = documented.filter(({ security }) => security.length === 0);
    const inCode = documented.filter(({ method, path }) =>
      rowsAt(method, path).some(
        ({ operation }) => operation === "page" || publicOperations.has(operation as never),
      ),
    );
    expect(keyless).toEqual(inCode);
    expect([...new Set(keyless.map(({ path }) => path))]).toEqual([
      "/api/v1/models",
      "/api/v1/models/{model}",
      "/",
      "/health",
      "/openapi.json",
      "/docs",
      "/docs/{file}",
    ]);
  });
});

test("says which operations take a session in place of a key: those that the gateway knows", () => {
  const taking = documented.filter(({ security }) => security.some((way) => "session" in way));
  const names = taking.flatMap(({ method, path }) => rowsAt(method, path).map(({ operation }) => operation));
  expect(new Set(names)).toEqual(new Set(Object.keys(sessionAccess)));
  for (const { responses } of taking)
    expect(responses[401]?.["x-error-codes"]).toEqual(expect.arrayContaining([40103, 40110]));
});

test("an operation has a name of its own", () => {
  const names = documented.map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(names.length);
});

describe("errors", () => {
  const keys = Object.keys(errorCodes) as ErrorKey[];

  test("are all in the document's table", () => {
    expect(openApi["x-errors"]).toEqual(
      keys.map((key) => {
        const { code, type, message, ...entry } = errorCodes[key];
        const lasts = [400, 401, 402, 403, 404].includes(statusOf(key));
        return { code, status: statusOf(key), type, message, retry: !("retry" in entry || lasts) };
      }),
    );
  });

  test("are all told by an operation of either document, but for those that no operation can give", () => {
    const told = new Set(
      [...documented, ...consoleDocument.documented].flatMap(({ responses }) =>
        Object.values(responses).flatMap((response) => response["x-error-codes"] ?? []),
      ),
    );
    const untold = keys.filter((key) => !told.has(errorCodes[key].code));
    expect(untold).toEqual(["method_not_allowed", "no_websocket"]);
  });

  test.each(named)("%s tells those that its kind can give, each under its status", (_, operation) => {
    const [row] = rowsAt(operation.method, operation.path);
    if (!row || row.operation === "page") return;
    const own =
      row.operation === "infer"
        ? inferErrors
        : row.operation === "count"
          ? countErrors
          : operations[row.operation].errors;
    const general = operation.security.length > 0 ? keyErrors : [];
    const session =
      row.operation === "infer" || row.operation === "count" ? [] : sessionOf(row.operation).errors;
    for (const key of [...general, ...own, ...session]) {
      const codes = operation.responses[statusOf(key)]?.["x-error-codes"] ?? [];
      expect(codes).toContain(errorCodes[key].code);
    }
  });

  test("have examples that fit their schemas, and so does every error with all of its details", () => {
    for (const { responses, "x-error-style": styles } of documented) {
      for (const { content = {} } of Object.values(responses)) {
        for (const { schema, examples = {} } of Object.values(content)) {
          for (const { value } of Object.values(examples)) expect(faultsOf(schema, value)).toEqual([]);
        }
      }
      const { schema } = Object.values(responses.default?.content ?? {})[0] ?? {};
      if (!schema) continue;
      const detail = {
        param: "model",
        fields: [{ location: "query.from", message: "wrong" }],
        upstream_code: "bad",
        names: { code: "bad", type: "bad", status: "BAD", details: [{}] },
        wait_ms: 1_000,
        request_id: "req_1",
      };
      for (const style of styles) {
        for (const key of keys) expect(faultsOf(schema, errorBody(style as never, key, detail))).toEqual([]);
      }
    }
  });
});

test.each(named)("%s has examples of its body that fit its schema", (_, { requestBody }) => {
  for (const { schema, examples = {} } of Object.values(requestBody?.content ?? {})) {
    for (const { value } of Object.values(examples)) expect(faultsOf(schema, value)).toEqual([]);
  }
});

test("every header of ours stands in the document", () => {
  const told = [...requestHeaders, ...answeredHeaders].flatMap(({ names }) => names);
  const { parameters = {}, headers = {} } = openApi.components;
  const schemes = JSON.stringify(openApi.components.securitySchemes);
  const missing = told.filter(
    (name) =>
      !(name in parameters) && !(name in headers) && !schemes.includes(name) && name !== "authorization",
  );
  expect(missing).toEqual([]);
  expect(told.length).toBeGreaterThan(20);
});
