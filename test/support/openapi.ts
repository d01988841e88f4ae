/** The kept OpenAPI document as tests read it: its operations, and validators of its schemas. */
import { readFileSync } from "node:fs";
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { documentFile } from "#infra/pages.ts";

interface Media {
  schema: object;
  examples?: Record<string, { value: unknown }>;
}

export interface DocumentedResponse {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, Media>;
  "x-error-codes"?: number[];
}

interface DocumentedParameter {
  name: string;
  in: "path" | "query" | "header";
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

export interface OpenApi {
  openapi: string;
  paths: Record<string, Record<string, Omit<Operation, "method" | "path">>>;
  components: Record<string, Record<string, object>>;
  "x-errors": { code: number; status: number; type: string; message: string; retry: boolean }[];
}

/** The document. */
export const openApi = JSON.parse(readFileSync(documentFile, "utf8")) as OpenApi;

/** What a reference of the document leads to. */
function resolved<Value>(value: Value): Value {
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined) return value;
  const [, , room = "", name = ""] = $ref.split("/");
  return openApi.components[room]?.[name] as Value;
}

/** Every operation of the document. */
export const documented: readonly Operation[] = Object.entries(openApi.paths).flatMap(([path, item]) =>
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

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat("date-time", (text: string) => !Number.isNaN(Date.parse(text)));
ajv.addSchema(openApi, "document");

/** The validators so far, by the texts of their schemas: to make one takes a hundred times as long as to use it. */
const checks = new Map<string, ValidateFunction>();

function checkOf(schema: object): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
  const known = checks.get(text) ?? ajv.compile(JSON.parse(text) as object);
  checks.set(text, known);
  return known;
}

/** What is wrong with a value by a schema of the document; empty where nothing is. */
export function faultsOf(schema: object, value: unknown): string[] {
  const check = checkOf(schema);
  if (check(value)) return [];
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
