/** The demo provider's pictures, whole and streamed. Each is one dot. */
import { type Responder, sendEvents, sendJson } from "./reply.ts";

/** One transparent dot, as PNG. */
export const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const now = () => Math.floor(Date.now() / 1000);
const countOf = (value: unknown) => (typeof value === "number" ? value : 1);
const eventOf = (type: string, members: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;

/** `POST /images/generations` and `POST /images/edits`, whose streams name their events differently. */
export const images =
  (kind: "image_generation" | "image_edit"): Responder =>
  async (body, response, pauseMs) => {
    const count = countOf(body.n);
    if (body.stream !== true) return sendWhole(response, count);
    const previews = typeof body.partial_images === "number" ? body.partial_images : 0;
    const head = { b64_json: dot, created_at: now(), size: "1x1", output_format: "png" };
    const usage = { input_tokens: 10, output_tokens: 100, total_tokens: 110 };
    const one = [
      ...Array.from({ length: previews }, (_, partial_image_index) =>
        eventOf(`${kind}.partial_image`, { ...head, partial_image_index }),
      ),
      eventOf(`${kind}.completed`, { ...head, usage }),
    ];
    const words = Array.from({ length: count }, () => one).flat();
    await sendEvents(response, { first: [], words, last: [], pauseMs });
  };

/** The same at Ark's base URL, where several pictures are a sequence and the last event counts them. */
export const arkImages: Responder = async (body, response, pauseMs) => {
  const options = body.sequential_image_generation_options as { max_images?: unknown } | undefined;
  const count = body.sequential_image_generation === "auto" ? countOf(options?.max_images) : 1;
  if (body.stream !== true) return sendWhole(response, count);
  const { model } = body;
  const words = Array.from({ length: count }, (_, image_index) =>
    eventOf("image_generation.partial_succeeded", { model, created: now(), image_index, b64_json: dot }),
  );
  const usage = { generated_images: count, output_tokens: 100, total_tokens: 100 };
  const last = [eventOf("image_generation.completed", { model, created: now(), usage }), "data: [DONE]\n\n"];
  await sendEvents(response, { first: [], words, last, pauseMs });
};

function sendWhole(response: Parameters<Responder>[1], count: number): void {
  sendJson(response, 200, {
    created: now(),
    data: Array.from({ length: count }, () => ({ b64_json: dot })),
    usage: { generated_images: count },
  });
}
