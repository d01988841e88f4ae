/**
 * Pictures of Stability's models at Amazon Bedrock: OpenAI's request in their form. Each request makes one picture. The
 * forms stand in AWS's "Stable Image Core", "Stable Image Ultra" and "Stable Diffusion 3.5 Large request and response".
 */
import { GatewayError } from "../../../../base/errors.ts";
import {
  type Fields,
  invalidField,
  isAbsent,
  optionalInteger,
  optionalString,
  requiredString,
} from "../../../../base/json/fields.ts";
import { limits } from "../../../../base/limits.ts";
import { invokeForm } from "../../../../books/catalog/invoke-form.ts";
import type { HostedCall, HostedParts, JoinedAnswer, PartAnswer, PartedRequest } from "../host.ts";
import { invocation, leftOut } from "./bedrock-invocation.ts";

/** The shapes that the models draw, width by height. They choose the pixels themselves, about a million. */
const shapes = ["1:1", "16:9", "21:9", "2:3", "3:2", "4:5", "5:4", "9:16", "9:21"];
const pixelsMax = 1536 * 1024;
const seedMax = 4_294_967_295;

/** Members of Stability's own that are sent as they are. */
const own = ["negative_prompt", "output_format"];
const carried = ["model", "prompt", "n", "size", "aspect_ratio", "seed", "response_format", ...own];

/**
 * The parts of a call: one for each picture. Throws `invalid_request` for what the model does not
 * draw, and `no_channel` for a model whose form is not known.
 */
export function pictureParts(asked: PartedRequest, request: Fields, { model }: HostedCall): HostedParts {
  if (!invokeForm(model, "images")) throw new GatewayError("no_channel");
  const count = optionalInteger(request, "n", 1, limits.imagesMax) ?? 1;
  const format = optionalString(request, "response_format") ?? "b64_json";
  if (format !== "b64_json") throw invalidField("response_format", "`b64_json` for this model");
  const seed = optionalInteger(request, "seed", 0, seedMax);
  const body = {
    prompt: requiredString(request, "prompt"),
    mode: "text-to-image",
    aspect_ratio: shapeOf(request),
    ...Object.fromEntries(own.map((name) => [name, optionalString(request, name)])),
  };
  return {
    requests: Array.from({ length: count }, (_, index) =>
      // The same seed would draw the same picture again.
      invocation(asked, model, { ...body, seed: seed && ((seed + index - 1) % seedMax) + 1 }),
    ),
    dropped: leftOut(request, carried),
    join: joined,
  };
}

/** The shape that is asked for, by its name or by a size that has it. Undefined leaves it to the model. */
function shapeOf(request: Fields): string | undefined {
  const named = optionalString(request, "aspect_ratio");
  if (named !== undefined && !shapes.includes(named))
    throw invalidField("aspect_ratio", `one of ${shapes.join(", ")} for this model`);
  const size = optionalString(request, "size") ?? "auto";
  if (size === "auto") return named;
  const shape = shapes.find((each) => each === size || hasShape(size, each));
  if (shape !== undefined && (named ?? shape) === shape) return shape;
  const most = `${pixelsMax.toLocaleString("en")} pixels`;
  throw invalidField("size", `\`auto\`, or at most ${most} in one of the shapes ${shapes.join(", ")}`);
}

function hasShape(size: string, shape: string): boolean {
  const [, width, height] = /^(\d{2,4})x(\d{2,4})$/.exec(size)?.map(Number) ?? [];
  const [across = 0, down = 0] = shape.split(":").map(Number);
  if (width === undefined || height === undefined) return false;
  return width * down === height * across && width * height <= pixelsMax;
}

/** The pictures that were drawn. Where the filter kept all of them back, the request is refused in OpenAI's words. */
function joined(answers: readonly PartAnswer[]): JoinedAnswer {
  const drawn = answers.flatMap(({ fields }) => (Array.isArray(fields.images) ? fields.images : []));
  const data = drawn.filter((b64_json) => typeof b64_json === "string").map((b64_json) => ({ b64_json }));
  if (data.length > 0) {
    const created = Math.floor(Date.parse(answers[0]?.headers.date ?? "") / 1000) || undefined;
    return { status: 200, fields: { created, data, usage: { generated_images: data.length } } };
  }
  const reasons = answers.flatMap(({ fields }) =>
    Array.isArray(fields.finish_reasons) ? fields.finish_reasons.filter((reason) => !isAbsent(reason)) : [],
  );
  const filtered = reasons.find((reason) => typeof reason === "string" && reason.startsWith("Filter"));
  if (filtered === undefined) throw new TypeError("no picture");
  const error = { message: filtered, type: "invalid_request_error", code: "content_policy_violation" };
  return { status: 400, fields: { error } };
}
