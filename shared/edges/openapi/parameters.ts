/** Parameters of the query that several operations take. */
import * as s from "./schema.ts";

export interface Parameter {
  name: string;
  schema: s.Schema;
  description?: string;
  required?: true;
}

/** A parameter as it stands in the document. */
export function inQuery({ name, schema, description, required }: Parameter): object {
  return { name, in: "query", ...(required && { required }), ...(description && { description }), schema };
}

/** How many entries a page has at most. */
export const limit = (max: number): Parameter => ({
  name: "limit",
  schema: { type: "integer", minimum: 1, maximum: max, default: max },
});
/** Where a page begins. */
export const after: Parameter = {
  name: "after",
  schema: s.string,
  description: "The `last_id` of the page before.",
};
/** The parameters for the form of a list, and for a page of it. `most` are the rows of a page. */
export const listForm = (most: Record<"json" | "csv", number>): Parameter[] => [
  {
    name: "format",
    schema: { enum: ["json", "csv"], default: "json" },
    description:
      "CSV is a file. The header `link` leads to the page that goes on with it, which does not name the columns again.",
  },
  {
    ...limit(most.csv),
    description: `The most rows of a page: in JSON ${most.json}, which is the default there.`,
  },
  after,
];
/** Two instants. */
export const range = (required: boolean): Parameter[] =>
  [
    ["from", "The beginning, which belongs to the range."],
    ["to", "The end, which does not."],
  ].map(([name = "", description = ""]) => ({
    name,
    schema: s.such(s.instant, {
      examples: [name === "from" ? "2026-11-20T00:00:00Z" : "2026-11-21T00:00:00Z"],
    }),
    description,
    ...(required && { required: true as const }),
  }));
