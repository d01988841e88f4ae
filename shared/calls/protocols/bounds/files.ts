/** Files for vendors that read PDFs alone. */
import type { MediaPart, TextPart } from "../../chat/request.ts";

/** Types of text that do not begin with `text/`. */
const texts = new Set(["application/json", "application/xml", "application/x-yaml"]);

/** A file of text as its words, under its name. Any other part stays. */
export function withWords<Part extends { type: string }>(
  part: Part | MediaPart,
): Part | MediaPart | TextPart {
  if (!("source" in part) || part.type !== "file" || part.source.type !== "base64") return part;
  const [type = ""] = part.source.media_type.toLowerCase().split(";");
  if (!type.startsWith("text/") && !texts.has(type)) return part;
  const words = Buffer.from(part.source.data, "base64").toString("utf8");
  return { type: "text", text: part.name === undefined ? words : `${part.name}\n\n${words}` };
}
