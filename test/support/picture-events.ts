/** The events of both forms of a stream of pictures, as providers write them. */
import { frame, namedFrame } from "./scenario.ts";

type Json = Record<string, unknown>;

const at = (type: string, members: Json = {}) => namedFrame({ type, ...members });

export const preview = at("image_generation.partial_image", { b64_json: "iVBO", partial_image_index: 0 });
export const drawn = at("image_generation.completed", {
  b64_json: "iVBORw0KGgo=",
  usage: { input_tokens: 9, output_tokens: 200, total_tokens: 209 },
});
export const given = (image_index: number) =>
  at("image_generation.partial_succeeded", { image_index, url: `https://x.example/${image_index}.png` });
export const lost = (image_index: number) =>
  at("image_generation.partial_failed", { image_index, error: { code: "Sensitive", message: "no" } });
export const made = (generated_images: unknown, more: Json = {}) =>
  at("image_generation.completed", {
    usage: { generated_images, output_tokens: 8, total_tokens: 8 },
    ...more,
  });
export const done = frame("[DONE]");

/** The most pictures that a sequence may have. */
export const sequence = (max_images: number) => ({
  sequential_image_generation: "auto",
  sequential_image_generation_options: { max_images },
});
