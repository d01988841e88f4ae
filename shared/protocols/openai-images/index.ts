import type { Protocol } from "../protocol.ts";
import { passModel } from "../splicing.ts";
import { unstreamed } from "../unstreamed.ts";
import { readReply, withGeneratedImages } from "./codec.ts";
import * as edits from "./edits.ts";
import * as asGenerations from "./edits-as-generations.ts";
import * as editsWire from "./edits-wire.ts";
import { keys, readRequest } from "./wire.ts";

/** OpenAI image generations. */
export const openaiImages: Protocol = {
  ...unstreamed,
  name: "openai-images",
  capability: "images",
  kind: "image",
  bases: ["openai", "ark", "zhipu"],
  upstreamPath: () => "/images/generations",
  keys,
  readRequest,
  passThrough: passModel,
  readReply,
  usage_at: { whole: ["usage"], streamed: ["usage"], number: true },
};

/** The same on the v3 path, whose answer always counts the pictures. */
export const arkImages: Protocol = {
  ...openaiImages,
  name: "ark-images",
  bases: ["ark", "openai", "zhipu"],
  finishReply: withGeneratedImages,
};

/** Edits where the provider takes them as OpenAI does. */
const edited: Protocol = {
  ...openaiImages,
  name: "openai-image-edits",
  capability: "image_edits",
  bases: ["openai"],
  upstreamPath: () => "/images/edits",
  keys: editsWire.keys,
  readRequest: editsWire.readRequest,
  passThrough: edits.passThrough,
  forms: { read: editsWire.readForm, passThrough: edits.passForm },
};

/**
 * Image edits. A provider that speaks Ark's own form is asked in it first: the OpenAI form of the same
 * provider ends before edits.
 */
export const openaiImageEdits: Protocol = {
  ...edited,
  bases: ["ark"],
  upstreamPath: openaiImages.upstreamPath,
  passThrough: asGenerations.passThrough,
  dropped: asGenerations.dropped,
  forms: { read: editsWire.readForm, passThrough: asGenerations.passForm },
  elsewhere: edited,
};

/** The same on the v3 path, whose answer always counts the pictures. */
export const arkImageEdits: Protocol = {
  ...openaiImageEdits,
  name: "ark-image-edits",
  finishReply: withGeneratedImages,
  elsewhere: { ...edited, finishReply: withGeneratedImages },
};
