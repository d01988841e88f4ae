/**
 * Vectors of texts at Amazon Bedrock: OpenAI's request in the form of the model's maker. The forms stand in AWS's "Amazon
 * Titan Text Embeddings V2", "Cohere Embed v3" and "Cohere Embed v4", and in Nova's "Complete embeddings request and
 * response schema".
 */
import { GatewayError } from "../../../../base/errors.ts";
import {
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalString,
} from "../../../../base/json/fields.ts";
import { type InvokeForm, invokeForm } from "../../../../books/catalog/invoke-form.ts";
import { sumOfTokens, textsOf, vectorList } from "../../../chat/vectors.ts";
import type { HostedCall, HostedParts, JoinedAnswer, PartAnswer, PartedRequest } from "../host.ts";
import { invocation, leftOut } from "./bedrock-invocation.ts";

/** What is asked of a model beside the texts. */
interface Asked {
  dimensions: number | undefined;
  input_type: string | undefined;
}

/** How one maker's models take texts and give vectors. */
interface VectorForm {
  /** Texts of one request. */
  texts_max: number;
  /** The sizes that a vector may have. */
  dimensions: readonly number[];
  /** Whether the model embeds questions and documents in different ways. */
  has_input_type?: true;
  body(texts: readonly string[], asked: Asked): object;
  vectors(fields: Fields): unknown;
  /** The tokens that the body reports. Absent: a header does. */
  tokens?(fields: Fields): unknown;
}

/** What both of Cohere's forms have. Nothing is cut off: a text that is too long is refused. */
const cohere = {
  texts_max: 96,
  has_input_type: true,
  vectors: ({ embeddings }: Fields) => (isObject(embeddings) ? embeddings.float : embeddings),
} as const;

function cohereBody(texts: readonly string[], { input_type = "search_document" }: Asked): object {
  return { texts, input_type, truncate: "NONE", embedding_types: ["float"] };
}

const forms: Record<InvokeForm<"embeddings">, VectorForm> = {
  titan_text: {
    texts_max: 1,
    dimensions: [256, 512, 1024],
    body: ([inputText], { dimensions }) => ({
      ...{ inputText, dimensions, normalize: true, embeddingTypes: ["float"] },
    }),
    vectors: ({ embedding, embeddingsByType: byType }) => [embedding ?? (isObject(byType) && byType.float)],
    tokens: ({ inputTextTokenCount }) => inputTextTokenCount,
  },
  nova_vectors: {
    texts_max: 1,
    dimensions: [256, 384, 1024, 3072],
    body: ([value], { dimensions }) => ({
      schemaVersion: "nova-multimodal-embed-v1",
      taskType: "SINGLE_EMBEDDING",
      singleEmbeddingParams: {
        embeddingPurpose: "GENERIC_INDEX",
        embeddingDimension: dimensions,
        text: { truncationMode: "NONE", value },
      },
    }),
    vectors: ({ embeddings }) =>
      Array.isArray(embeddings) && embeddings.map((each) => (isObject(each) ? each.embedding : undefined)),
  },
  cohere_3: { ...cohere, dimensions: [1024], body: cohereBody },
  cohere_4: {
    ...cohere,
    dimensions: [256, 512, 1024, 1536],
    body: (texts, asked) => ({ ...cohereBody(texts, asked), output_dimension: asked.dimensions }),
  },
};

/** What of OpenAI's request reaches every model. `input_type` is Cohere's. */
const carried = ["model", "input", "dimensions", "encoding_format"];

/**
 * The parts of a call. Throws `invalid_request` for what the model does not take, and
 * `no_channel` for a model whose form is not known.
 */
export function vectorParts(asked: PartedRequest, request: Fields, { model }: HostedCall): HostedParts {
  const name = invokeForm(model, "embeddings");
  if (!name) throw new GatewayError("no_channel");
  const form = forms[name];
  const texts = textsOf(request.input);
  const told = {
    dimensions: dimensionsOf(request, form),
    input_type: form.has_input_type && optionalString(request, "input_type"),
  };
  const batches = Array.from({ length: Math.ceil(texts.length / form.texts_max) }, (_, index) =>
    texts.slice(index * form.texts_max, (index + 1) * form.texts_max),
  );
  return {
    requests: batches.map((batch) => invocation(asked, model, form.body(batch, told))),
    dropped: leftOut(request, form.has_input_type ? [...carried, "input_type"] : carried),
    join: (answers) => joined(answers, batches, form, model),
  };
}

/** The size that is asked for. Undefined leaves it to the model. */
function dimensionsOf({ dimensions }: Fields, form: VectorForm): number | undefined {
  if (isAbsent(dimensions)) return undefined;
  const asked = form.dimensions.find((size) => size === dimensions);
  if (asked !== undefined) return asked;
  throw invalidField("dimensions", `one of ${form.dimensions.join(", ")} for this model`);
}

const tokensHeader = "x-amzn-bedrock-input-token-count";

/** One list of all vectors. Throws `TypeError` where one is missing. */
function joined(
  answers: readonly PartAnswer[],
  batches: readonly string[][],
  form: VectorForm,
  model: string,
): JoinedAnswer {
  const vectors = batches.flatMap(({ length }, index) => {
    const found = form.vectors(answers[index]?.fields ?? {});
    if (!Array.isArray(found) || found.length !== length || !found.every(Array.isArray))
      throw new TypeError("not one vector each");
    return found as unknown[];
  });
  const tokens = answers.map(({ fields, headers }) => form.tokens?.(fields) ?? headers[tokensHeader]);
  return { status: 200, fields: vectorList(model, vectors, sumOfTokens(tokens)) };
}
