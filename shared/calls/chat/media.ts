/** Inline media in the chat protocols: data URLs, and base64 without its media type. */
import type { MediaPart } from "./request.ts";

type Base64Source = Extract<MediaPart["source"], { type: "base64" }>;

/** The media type and base64 of a `data:` URL, or undefined for any other text and for data that is not base64. */
export function parseDataUrl(url: string): Base64Source | undefined {
  const comma = url.indexOf(",");
  if (!url.startsWith("data:") || comma === -1) return undefined;
  const [media_type, ...parameters] = url.slice("data:".length, comma).split(";");
  if (!media_type || parameters.at(-1) !== "base64") return undefined;
  return { type: "base64", media_type, data: url.slice(comma + 1) };
}

/** The `data:` URL of inline media. */
export function dataUrl({ media_type, data }: Base64Source): string {
  return `data:${media_type};base64,${data}`;
}

/** Names of media types that clients write and vendors do not know. */
const aliases: Record<string, string> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
  "audio/mp3": "audio/mpeg",
};

/** A part under the name of its media type that vendors know. */
export function withKnownType<Part extends { type: string }>(part: Part | MediaPart): Part | MediaPart {
  if (!("source" in part) || part.source.media_type === undefined) return part;
  const type = part.source.media_type.toLowerCase();
  const media_type = Object.hasOwn(aliases, type) ? aliases[type] : undefined;
  return media_type ? { ...part, source: { ...part.source, media_type } } : part;
}

/** How the first bytes of well-known formats look in base64. */
const openings: readonly [opening: string, media_type: string][] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
  ["JVBERi", "application/pdf"],
];

/**
 * Bare base64, with the media type that its first bytes show, or undefined. The Zhipu SDK strips the head of data URLs
 * (protocols.md §5), and files may come without one.
 */
export function readBareBase64(data: string): Base64Source | undefined {
  const known = openings.find(([opening]) => data.startsWith(opening));
  return known && { type: "base64", media_type: known[1], data };
}
