/** The columns of a list of calls as CSV (columns.md "Calls"). */
import { noUsage, type Usage } from "../billing/usage.ts";
import type { CellColumn } from "./csv.ts";
import { errorOf, type ListedCall } from "./listed-call.ts";

type CallColumn = CellColumn<ListedCall>;

export const callColumns: readonly CallColumn[] = [
  fieldOf("id", "text", "the request's id, by which its receipt is found"),
  {
    ...{ name: "created_at", type: "instant", source: "event `admitted_at`" },
    what: "when the call was let in; reports and months go by it",
    of: ({ event }) => new Date(event.admitted_at).toISOString(),
  },
  {
    ...{ name: "ended_at", type: "instant", source: "event `ended_at`" },
    what: "when its answer had ended",
    of: ({ event: { ended_at } }) => (ended_at === null ? null : new Date(ended_at).toISOString()),
  },
  fieldOf("kind", "text", "`chat`, `embedding`, `image` or `video`"),
  fieldOf("model", "text", "the model that is charged"),
  fieldOf("requested_model", "text", "the model that was asked for, where a fallback answered"),
  {
    ...fieldOf("project", "text", "the key's project; empty for a key of the organization"),
    name: "project_id",
  },
  { ...fieldOf("key", "text", "the key's id"), name: "key_id" },
  fieldOf("user", "text", "the user that the call named"),
  { ...fieldOf("mode", "text", "`payg`: the wallet pays; `subscription`: the quota"), name: "billing_mode" },
  fieldOf("outcome", "text", "`completed`, `truncated`, `failed` or `refused`"),
  fieldOf("provider", "text", "who answered"),
  usageOf("input_tokens", "input that was neither read from a cache nor written to one"),
  usageOf("output_tokens", "output, reasoning included"),
  usageOf("cache_read_tokens", "input that the provider's cache served"),
  usageOf("cache_write_tokens", "input that was written to it"),
  usageOf("generated_images", "pictures made"),
  usageOf("video_seconds", "seconds of video made"),
  fieldOf(
    "evidence",
    "text",
    "what says the counts: `reported` by the provider, `estimated`, `cache` or `none`",
  ),
  fieldOf("calls", "integer", "calls of quota: 0 for a call that was given back"),
  fieldOf("list_points", "decimal", "the value at list price, with the discount"),
  fieldOf("cost_points", "decimal", "what was charged"),
  {
    ...{ name: "price_version", type: "text", source: "event `price.version`" },
    what: "the hash of the price, as on the receipt",
    of: ({ event }) => event.price?.version ?? null,
  },
  {
    ...{ name: "discount_rate", type: "decimal", source: "event `price.discount_rate`" },
    what: "the factor of the price",
    of: ({ event }) => event.price?.discount_rate ?? null,
  },
  {
    ...{ name: "flags", type: "list", source: "event `flags`" },
    what: "what is worth a look",
    of: ({ event }) => event.flags.join(" "),
  },
  {
    ...{ name: "corrected", type: "boolean", source: "an entry `adjustment`" },
    what: "whether this corrects an estimate that stood there before",
    of: ({ corrected }) => corrected,
  },
  {
    ...{ name: "error_code", type: "integer", source: "event `error`" },
    what: "why it failed or was refused: the code of the error",
    of: ({ event }) => errorOf(event)?.code ?? null,
  },
  {
    ...{ name: "error_status", type: "integer", source: "event `error`" },
    what: "the HTTP status that its client got then; 200 where an answer had begun",
    of: ({ event }) => errorOf(event)?.status ?? null,
  },
  {
    ...{ name: "tags", type: "list", source: "event `tags`" },
    what: "its tags, as `team=search`",
    of: ({ event: { tags } }) => tags?.replaceAll(",", " ") ?? null,
  },
];

/** A field of the event, under its own name. */
function fieldOf(
  name:
    | "id"
    | "kind"
    | "model"
    | "requested_model"
    | "project"
    | "key"
    | "user"
    | "mode"
    | "outcome"
    | "provider"
    | "evidence"
    | "calls"
    | "list_points"
    | "cost_points",
  type: CallColumn["type"],
  what: string,
): CallColumn {
  return { name, type, source: `event \`${name}\``, what, of: ({ event }) => event[name] ?? null };
}

function usageOf(name: keyof typeof noUsage & keyof Usage, what: string): CallColumn {
  const of = ({ event }: ListedCall) => ({ ...noUsage, ...event.usage })[name];
  return { name, type: "integer", source: `event \`usage.${name}\``, what, of };
}
