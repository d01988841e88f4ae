/** The kept OpenAPI documents as tests read them: their operations, and validators of their schemas. */
import { readFileSync } from "node:fs";
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";
import { adminDocumentFile, consoleDocumentFile } from "#infra/bundles/console-assets.ts";
import { documentFile } from "#infra/bundles/pages.ts";

interface Media {
  schema: object;
  examples?: Record<string, { value: unknown }>;
}

interface DocumentedResponse {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, Media>;
  "x-error-codes"?: number[];
}

interface DocumentedParameter {
  name: string;
  in: "path" | "query" | "header";
  description?: string;
  required?: boolean;
  schema: object;
  example?: string;
}

export interface Operation {
  method: string;
  path: string;
  operationId: string;
  security: object[];
  parameters: DocumentedParameter[];
  requestBody?: { content: Record<string, Media> };
  /** With what they refer to in their places. */
  responses: Record<string, DocumentedResponse>;
  "x-error-style": string[];
  "x-body"?: "vendor";
}

interface OpenApi {
  openapi: string;
  paths: Record<string, Record<string, Omit<Operation, "method" | "path">>>;
  components: Record<string, Record<string, object>>;
  "x-errors": { code: number; status: number; type: string; message: string; retry: boolean }[];
}

/** A document with its operations, and what is wrong with a value by a schema of it; empty where nothing is. */
interface ReadDocument {
  openApi: OpenApi;
  documented: readonly Operation[];
  faultsOf: (schema: object, value: unknown) => string[];
}

function readDocument(file: string): ReadDocument {
  const openApi = JSON.parse(readFileSync(file, "utf8")) as OpenApi;
  return { openApi, documented: operationsOf(openApi), faultsOf: validatorOf(openApi) };
}

/** Every operation of a document. */
function operationsOf({ paths, components }: OpenApi): Operation[] {
  /** What a reference of the document leads to. */
  const resolved = <Value>(value: Value): Value => {
    const { $ref } = value as { $ref?: string };
    if ($ref === undefined) return value;
    const [, , room = "", name = ""] = $ref.split("/");
    return components[room]?.[name] as Value;
  };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      parameters: (operation.parameters ?? []).map(resolved),
      responses: Object.fromEntries(
        Object.entries(operation.responses).map(([status, response]) => [status, resolved(response)]),
      ),
    })),
  );
}

function validatorOf(openApi: OpenApi): ReadDocument["faultsOf"] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat("date-time", (text: string) => !Number.isNaN(Date.parse(text)));
  ajv.addSchema(openApi, "document");
  /** The validators so far, by the texts of their schemas: to make one takes a hundred times as long as to use it. */
  const checks = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    const check = checks.get(text) ?? ajv.compile(JSON.parse(text) as object);
    checks.set(text, check);
    if (check(value)) return [];
    return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}

/** The gateway's document. */
export const { openApi, documented, faultsOf } = readDocument(documentFile);

/** The console's document. */
export const consoleDocument = readDocument(consoleDocumentFile);

/** The document of the operators' API. */
export const adminDocument = readDocument(adminDocumentFile);

/** The example of the body of an operation. */
export function exampleOf({ requestBody }: Operation): Record<string, unknown> | undefined {
  return requestBody?.content["application/json"]?.examples?.plain?.value as
    | Record<string, unknown>
    | undefined;
}

/** Expects that an answer is one that the document has for its status. Gives its body, parsed if it is JSON. */
export async function expectDocumented(
  operation: Operation,
  response: Response,
  { faultsOf: faults }: Pick<ReadDocument, "faultsOf"> = { faultsOf },
): Promise<unknown> {
  const told = operation.responses[response.status];
  expect(told, `${response.status} ${await response.clone().text()}`).toBeDefined();
  expect(response.headers.get("x-request-id")).toMatch(/^req_/);
  const text = await response.text();
  if (operation.method === "HEAD" || told?.content === undefined) {
    expect(text).toBe("");
    return undefined;
  }
  const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
  const { schema } = told.content[type] ?? {};
  if (!schema) throw new Error(`the document has no ${type} for ${response.status}`);
  const body: unknown = type.includes("json") ? JSON.parse(text) : text;
  expect(faults(schema, body), text.slice(0, 2_000)).toEqual([]);
  return body;
}
