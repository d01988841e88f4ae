/** The console's OpenAPI document against its table of routes. Its schemas meet real answers in test/local. */
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { consoleDocumentFile } from "#infra/bundles/console-assets.ts";
import { type ErrorDetail, type ErrorKey, errorCodes, statusOf } from "#shared/base/errors.ts";
import { errorBody } from "#shared/base/http/error-styles.ts";
import { matchConsole } from "#shared/edges/console/match.ts";
import type { ConsoleRoute } from "#shared/edges/console/route.ts";
import { consoleRoutes } from "#shared/edges/console/routes.ts";
import { consoleErrors } from "#shared/edges/openapi/console-operation.ts";
import { consoleOperations } from "#shared/edges/openapi/console-operations.ts";
import { documentTexts } from "#shared/edges/openapi/write.ts";
import { consoleDocument } from "#test/support/openapi.ts";

const { openApi, documented, faultsOf } = consoleDocument;
const rows: readonly ConsoleRoute[] = consoleRoutes;
const named = documented.map((operation) => [`${operation.method} ${operation.path}`, operation] as const);

function rowAt(method: string, path: string): ConsoleRoute {
  const found = matchConsole(method, path.replace(/\{\w+\}/, "x"));
  if (!found.found) throw new Error(`there is no ${method} ${path}`);
  return found.route;
}

test("is what `npm run openapi` writes", () => {
  expect(readFileSync(consoleDocumentFile, "utf8")).toBe(documentTexts()["console.json"]);
});

test("is valid OpenAPI 3.1", async () => {
  const copy = structuredClone(openApi) as unknown as Record<string, unknown>;
  const { valid, errors } = await new Validator().validate(copy);
  expect(errors ?? []).toEqual([]);
  expect([valid, openApi.openapi]).toEqual([true, "3.1.0"]);
});

test("has every row of the table, and nothing else", () => {
  const told = documented.map(({ method, path }) => `${method} ${path}`);
  expect(told.toSorted()).toEqual(rows.map(({ method, path }) => `${method} ${path}`).toSorted());
});

test("an operation has a name of its own", () => {
  const names = documented.map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(names.length);
});

test.each(named)("%s says who may call it", (_, { method, path, security }) => {
  const { access } = rowAt(method, path);
  const ways: Record<string, object[]> = { public: [], cookie: [{ cookie: [] }], member: [{ session: [] }] };
  expect(security).toEqual(ways[access] ?? [{ session: [access] }]);
});

describe("errors", () => {
  test("in the document's table are those that its operations tell, and those of no operation", () => {
    const told = documented.flatMap(({ responses }) =>
      Object.values(responses).flatMap((response) => response["x-error-codes"] ?? []),
    );
    const table = openApi["x-errors"].map(({ code }) => code);
    expect(new Set(table)).toEqual(new Set([...told, 40400, 40500]));
  });

  test.each(named)("%s tells those that its kind can give, each under its status", (_, operation) => {
    const { access, operation: name } = rowAt(operation.method, operation.path);
    const keys = consoleErrors(access, consoleOperations[name as keyof typeof consoleOperations]);
    expect(keys).toContain("internal");
    for (const key of keys)
      expect(operation.responses[statusOf(key)]?.["x-error-codes"]).toContain(errorCodes[key].code);
  });

  test("have examples that fit their schemas, and so does every error with the details of the console", () => {
    const detail: ErrorDetail = { param: "human", human: { challenge: "1.a.b", bits: 18 }, wait_ms: 1_000 };
    for (const { responses } of documented) {
      const contents = Object.values(responses).flatMap(({ content = {} }) => Object.values(content));
      for (const { schema, examples = {} } of contents)
        for (const { value } of Object.values(examples)) expect(faultsOf(schema, value)).toEqual([]);
      const { schema } = responses.default?.content?.["application/json"] ?? {};
      expect(schema).toBeDefined();
      for (const key of Object.keys(errorCodes) as ErrorKey[])
        expect(faultsOf(schema ?? {}, errorBody("standard", key, detail))).toEqual([]);
    }
  });
});

test.each(named)("%s has examples of its body that fit its schema", (_, { requestBody }) => {
  for (const { schema, examples = {} } of Object.values(requestBody?.content ?? {})) {
    expect(Object.keys(examples)).toEqual(["plain"]);
    for (const { value } of Object.values(examples)) expect(faultsOf(schema, value)).toEqual([]);
  }
});

test("the examples of schemas fit them", () => {
  const all = Object.entries(openApi.components.schemas ?? {}).flatMap(([name, schema]) =>
    ((schema as { examples?: unknown[] }).examples ?? []).map((value) => ({ name, schema, value })),
  );
  expect(all.flatMap(({ name, schema, value }) => faultsOf(schema, value).map((f) => `${name}${f}`))).toEqual(
    [],
  );
  expect(all.length).toBeGreaterThan(8);
});

test("every schema is used", () => {
  const text = JSON.stringify(openApi);
  const names = Object.keys(openApi.components.schemas ?? {});
  expect(names.filter((name) => !text.includes(`"#/components/schemas/${name}"`))).toEqual([]);
});
