/** The media and stop sequences of a client's body, which not every model takes. */
import { type Fields, objectsOf } from "../../../base/json/fields.ts";
import { type BodyInputs, inputAt, kindOf, type MediaInput, stopAt } from "../fitting/inputs.ts";
import { objectAt, objectsAt } from "../switches.ts";
import { type MediaKind, mediaType } from "./crossing/documents.ts";

const kinds = ["image", "document", "audio", "video"] as const satisfies readonly MediaKind[];

export function asked(body: Fields): BodyInputs {
  const { stopSequences } = objectAt(body, "inferenceConfig");
  return {
    inputs: objectsAt(body, "messages").flatMap(({ at, item }) => inputsOf(item, `${at}.content`)),
    ...stopAt("inferenceConfig.stopSequences", stopSequences),
  };
}

/** The media of a list of blocks. Results of tools have some too. */
function inputsOf({ content }: Fields, path: string): MediaInput[] {
  return objectsOf(content).flatMap((block, index) => {
    const at = `${path}[${index}]`;
    const inside = objectAt(block, "toolResult");
    const own = kinds.flatMap((kind) => {
      const { format } = objectAt(block, kind);
      return typeof format === "string" ? inputAt(at, kindOf(mediaType(kind, format)), "bytes") : [];
    });
    return [...own, ...inputsOf(inside, `${at}.toolResult.content`)];
  });
}
