/** A request for a video on its way to a channel. It was checked when it came (request.ts). */
import { readJsonObject, splice } from "../../../base/json/body.ts";
import { modelSplice } from "../splicing.ts";

/** A request as a channel is sent it: under the provider's name for the model. */
export function addressedTo(bytes: Buffer, model: string): Buffer {
  const body = readJsonObject(bytes);
  return splice(bytes, [modelSplice(body, model)]);
}
