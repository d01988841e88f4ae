import { errorFrame } from "../error-frame.ts";
import type { Protocol } from "../protocol.ts";
import { pictureIds } from "../provider-ids.ts";
import { passModel } from "../splicing.ts";
import * as edit from "./edit-fields.ts";
import * as edits from "./edits.ts";
import * as asGenerations from "./edits-as-generations.ts";
import { fields, readRequest } from "./fields.ts";
import { unstreamedHere } from "./other-form.ts";
import { readReply, withGeneratedImages } from "./reply.ts";
import { createReader } from "./stream.ts";
import * as zhipu from "./zhipu.ts";

/** The routes whose clients read the provider's events, by their form. */
const generations = { openai: "/v1/images/generations", ark: "/api/v3/images/generations" };
const editing = { openai: "/v1/images/edits", ark: "/api/v3/images/edits" };

/** What all calls for pictures share. */
const pictures: Protocol = {
  name: "openai-images",
  capability: "images",
  kind: "image",
  bases: ["openai", "zhipu"],
  upstreamPath: () => "/images/generations",
  keys: fields.acted,
  readRequest,
  ids: pictureIds,
  passThrough: passModel,
  readReply,
  usage_at: { whole: ["usage"], streamed: ["usage"], number: true },
  // Pictures are billed by the piece, so a stream has no text to estimate from, and is never stopped.
  stream: { createReader, errorFrame, ping: Buffer.from(": ping\n\n") },
};

/** OpenAI image generations. A provider with a base URL of Ark's is spoken to as Ark, whatever else it has. */
export const openaiImages: Protocol = {
  ...pictures,
  elsewhere: { ...unstreamedHere(pictures, generations.ark), bases: ["ark"], before_own: true },
};

/** The same on the v3 path, whose answer always counts the pictures. */
const v3 = { ...pictures, name: "ark-images", finishReply: withGeneratedImages } as const;
export const arkImages: Protocol = {
  ...v3,
  bases: ["ark"],
  elsewhere: unstreamedHere(v3, generations.openai),
};

/** Zhipu's image generations, which are never streamed. */
export const zhipuImages: Protocol = {
  ...pictures,
  name: "zhipu-images",
  bases: ["zhipu"],
  keys: zhipu.keys,
  readRequest: zhipu.readRequest,
  elsewhere: {
    ...pictures,
    name: "zhipu-images",
    bases: ["openai", "ark"],
    passThrough: zhipu.passElsewhere,
    dropped: zhipu.dropped,
  },
};

/** Edits where the provider takes them as OpenAI does. */
const edited: Protocol = {
  ...pictures,
  name: "openai-image-edits",
  capability: "image_edits",
  bases: ["openai"],
  upstreamPath: () => "/images/edits",
  keys: edit.fields.acted,
  readRequest: edit.readRequest,
  passThrough: edits.passThrough,
  forms: { read: edit.readForm, passThrough: edits.passForm },
};

/** Edits where the provider takes them as Ark does: generations that begin from pictures. */
const generated: Protocol = {
  ...edited,
  bases: ["ark"],
  upstreamPath: pictures.upstreamPath,
  passThrough: asGenerations.passThrough,
  dropped: asGenerations.dropped,
  forms: { read: edit.readForm, passThrough: asGenerations.passForm },
};

/** Image edits. A provider with Ark's form is spoken to in it: it has no edits in OpenAI's. */
export const openaiImageEdits: Protocol = {
  ...edited,
  elsewhere: { ...unstreamedHere(generated, editing.ark), before_own: true },
};

/** The same on the v3 path, whose answer always counts the pictures. */
const v3Edits = { name: "ark-image-edits", finishReply: withGeneratedImages } as const;
export const arkImageEdits: Protocol = {
  ...generated,
  ...v3Edits,
  elsewhere: { ...unstreamedHere(edited, editing.openai), ...v3Edits },
};
