/** The form of the answer in both protocols of OpenAI. */
import type { Traits } from "../../../books/catalog/traits.ts";
import type { Draft } from "./draft.ts";
import { fitSchema } from "./schema.ts";

/** By where the form stands: where its schema does, and what of it is named where "any JSON" takes its place. */
const schemas = {
  response_format: { at: "response_format.json_schema.schema", named: "response_format.json_schema" },
  "text.format": { at: "text.format.schema", named: "text.format.schema" },
};

/** A schema that the model cannot be held to becomes "any JSON", or nothing. */
export function fitOpenaiFormat(draft: Draft, traits: Traits["schema"], format: keyof typeof schemas): void {
  const type = draft.at(`${format}.type`);
  if (!traits || (type !== "json_schema" && type !== "json_object")) return;
  const { forms, refused } = traits;
  const { at, named } = schemas[format];
  if (type === "json_schema" && forms.includes("json_schema")) {
    fitSchema(draft, at, refused);
  } else if (type === "json_schema" && forms.includes("json")) {
    draft.set(format, { type: "json_object" });
    draft.name(named, "format.schema");
  } else if (type === "json_schema" || !forms.includes("json")) {
    draft.drop(format, "format");
  }
}
