/**
 * The forms of calls for vectors and pictures at Amazon Bedrock: each maker has one of its own (AWS, "Inference request
 * parameters and response fields for foundation models"). A model's name tells its maker, and an application's inference
 * profile has no such name.
 */
import type { Capability } from "./catalog.ts";
import { modelOfProfile } from "./inference-profile.ts";

/** The forms, with the names of their models, and the kind of call that they are for. */
const forms = {
  titan_text: { of: /^amazon\.titan-embed-text-v2(?=:|$)/, capability: "embeddings" },
  nova_vectors: { of: /^amazon\.nova-2-multimodal-embeddings-v1(?=:|$)/, capability: "embeddings" },
  cohere_3: { of: /^cohere\.embed-(?:english|multilingual)-v3(?=:|$)/, capability: "embeddings" },
  cohere_4: { of: /^cohere\.embed-v4(?=:|$)/, capability: "embeddings" },
  stability: {
    of: /^stability\.(?:stable-image-(?:core|ultra)|sd3-5-large)-v1(?=:|$)/,
    capability: "images",
  },
} as const satisfies Record<string, { of: RegExp; capability: Capability }>;

type Forms = typeof forms;

/** The forms of this kind of call. */
export type InvokeForm<Kind extends Capability = "embeddings" | "images"> = {
  [Name in keyof Forms]: Forms[Name]["capability"] extends Kind ? Name : never;
}[keyof Forms];

/** The form in which a model, or the profile of one, takes this kind of call. Undefined where none is known. */
export function invokeForm<Kind extends "embeddings" | "images">(
  model: string,
  kind: Kind,
): InvokeForm<Kind> | undefined {
  const name = modelOfProfile(model) ?? model;
  const found = Object.entries(forms).find(([, { of, capability }]) => capability === kind && of.test(name));
  return found?.[0] as InvokeForm<Kind> | undefined;
}
