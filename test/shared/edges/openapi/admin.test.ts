/** The OpenAPI document of the operators' API against its table of routes. Its schemas meet real answers in test/local. */
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { adminDocumentFile } from "#infra/bundles/console-assets.ts";
import { errorCodes, statusOf } from "#shared/base/errors.ts";
import type { AdminRoute } from "#shared/edges/admin/route.ts";
import { adminRoutes } from "#shared/edges/admin/routes.ts";
import { adminErrors } from "#shared/edges/openapi/admin-operation.ts";
import { adminOperations } from "#shared/edges/openapi/admin-operations.ts";
import { documentTexts } from "#shared/edges/openapi/write.ts";
import { adminDocument } from "#test/support/openapi.ts";

const { openApi, documented, faultsOf } = adminDocument;
const rows: readonly AdminRoute[] = adminRoutes;
const named = documented.map((operation) => [`${operation.method} ${operation.path}`, operation] as const);

function rowAt(method: string, path: string): AdminRoute {
  const found = rows.find((row) => row.method === method && row.path === path);
  if (!found) throw new Error(`there is no ${method} ${path}`);
  return found;
}

test("is what `npm run openapi` writes", () => {
  expect(readFileSync(adminDocumentFile, "utf8")).toBe(documentTexts()["admin.json"]);
});

test("is valid OpenAPI 3.1", async () => {
  const copy = structuredClone(openApi) as unknown as Record<string, unknown>;
  const { valid, errors } = await new Validator().validate(copy);
  expect(errors ?? []).toEqual([]);
  expect([valid, openApi.openapi]).toEqual([true, "3.1.0"]);
});

test("has every row of the table, and nothing else, each under a name of its own", () => {
  const told = documented.map(({ method, path }) => `${method} ${path}`);
  expect(told.toSorted()).toEqual(rows.map(({ method, path }) => `${method} ${path}`).toSorted());
  expect(new Set(documented.map(({ operationId }) => operationId)).size).toBe(documented.length);
});

test("the page of the API has every row with its scope", () => {
  const page = readFileSync(new URL("../../../../shared/edges/admin/README.md", import.meta.url), "utf8");
  const told = [...page.matchAll(/^\| `((?:GET|POST) [^`]+)` \| `(\w+)` \|/gm)].map(([, route, scope]) => [
    route,
    scope,
  ]);
  expect(told).toEqual(
    rows.map(({ method, path, scope }) => [`${method} ${path.replace("/api/admin/v1", "")}`, scope]),
  );
});

test.each(named)("%s says which scope it wants, and what it takes to write", (_, operation) => {
  const { method, path, security, parameters, requestBody } = operation;
  expect(security).toEqual([{ token: [rowAt(method, path).scope] }]);
  const names = parameters.map(({ name }) => name);
  const isWrite = method !== "GET";
  expect([names.includes("idempotency-key"), names.includes("dry_run")]).toEqual([isWrite, isWrite]);
  for (const { schema, examples = {} } of Object.values(requestBody?.content ?? {})) {
    expect(schema).toMatchObject({
      required: expect.arrayContaining(["reason"]),
      additionalProperties: false,
    });
    for (const { value } of Object.values(examples)) expect(faultsOf(schema, value)).toEqual([]);
  }
  expect(requestBody !== undefined).toBe(isWrite);
});

test.each(named)(
  "%s tells its errors, each under its status and with an example that fits",
  (_, operation) => {
    const row = rowAt(operation.method, operation.path);
    const keys = adminErrors(row, adminOperations[row.operation as keyof typeof adminOperations]);
    expect(keys).toEqual(expect.arrayContaining(["internal", "not_authenticated"]));
    for (const key of keys)
      expect(operation.responses[statusOf(key)]?.["x-error-codes"]).toContain(errorCodes[key].code);
    for (const { content = {} } of Object.values(operation.responses))
      for (const { schema, examples = {} } of Object.values(content))
        for (const { value } of Object.values(examples)) expect(faultsOf(schema, value)).toEqual([]);
  },
);

test("every schema is used", () => {
  const text = JSON.stringify(openApi);
  const names = Object.keys(openApi.components.schemas ?? {});
  expect(names.filter((name) => !text.includes(`"#/components/schemas/${name}"`))).toEqual([]);
});
