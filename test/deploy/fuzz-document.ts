/** How schemathesis reads the OpenAPI document: what it is told beside it, and which of its checks do not fit. */

interface Media {
  schema?: Record<string, unknown>;
  examples?: Record<string, { value: unknown }>;
}

interface FuzzedOperation {
  operationId: string;
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { $ref?: string; content?: Record<string, Media> }>;
}

/** As much of the document as is looked at here. */
export interface FuzzedDocument {
  paths: Record<string, Record<string, FuzzedOperation>>;
  components: { schemas: Record<string, Record<string, unknown>> };
}

/** Checks of schemathesis that are left out, each with its reason. */
export const excludedChecks: Record<string, string> = {
  positive_data_acceptance:
    "what a model cannot do, and a cursor that names nothing, are 400, and no schema can know them",
  unsupported_method:
    "a vendor's API that is not offered is 404 and not 405, and `…:countTokens` is also the name of a model, which takes GET",
  allow_header_conformance: "it compares methods as `unsupported_method` does",
};

/** How likely a drawn request names the model of its operation's example. Others name what no catalog has. */
const modelProbability = 0.7;

/**
 * The document as schemathesis takes it. In OpenAPI 3.1 the schema of an event stream is that of its whole text, and
 * schemathesis compares each event with it. So it gets what every event has. All else stays.
 */
export function forFuzzing(document: FuzzedDocument): FuzzedDocument {
  const copy = structuredClone(document);
  for (const item of Object.values(copy.paths)) {
    for (const { responses } of Object.values(item)) {
      for (const { content } of Object.values(responses)) {
        const stream = content?.["text/event-stream"];
        if (!stream) continue;
        stream.schema = {
          type: "object",
          properties: { data: { type: "string", minLength: 1 } },
          required: ["data"],
        };
      }
    }
  }
  return copy;
}

/** The control: a document by which `/health` gives a member that it never gives. */
export function tooStrict(document: FuzzedDocument): FuzzedDocument {
  const copy = structuredClone(document);
  const health = copy.components.schemas.Health;
  if (!health) throw new Error("the document has no schema Health");
  health.required = [...((health.required as string[] | undefined) ?? []), "x-never"];
  return copy;
}

/**
 * The settings of schemathesis, as TOML: most requests of an operation name the model of its example, which does what
 * the operation is for. Otherwise nearly all of them would end where a model is looked up.
 */
export function settingsOf(document: FuzzedDocument): string {
  const models = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId, requestBody }) => {
      const examples = Object.values(requestBody?.content["application/json"]?.examples ?? {});
      const named = examples.flatMap(({ value }) => (value as { model?: string }).model ?? []);
      return named.length > 0 ? [{ operationId, named }] : [];
    });
  // JSON's texts are TOML's, too.
  const text = (value: unknown) => JSON.stringify(value);
  return [
    "[dictionaries]",
    ...models.map(({ operationId, named }) => `${operationId} = { values = ${text(named)} }`),
    ...models.map(({ operationId }) =>
      [
        "[[operations]]",
        `include-operation-id = ${text(operationId)}`,
        "[operations.parameters]",
        `"body.model" = { dictionary = ${text(operationId)}, probability = ${modelProbability} }`,
      ].join("\n"),
    ),
  ].join("\n");
}
