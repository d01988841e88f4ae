/** A turn of the user's that says nothing, where a vendor wants one and the client has none. No vendor takes an empty one. */
import type { TextPart } from "./request.ts";

export const wordless: { role: "user"; parts: TextPart[] } = {
  role: "user",
  parts: [{ type: "text", text: "." }],
};
