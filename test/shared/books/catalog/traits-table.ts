/** What the models of a catalog take, as a table: `shared/books/catalog/families.md` has that of the default catalog. */
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { type Traits, traitsAt } from "#shared/books/catalog/traits.ts";
import { codes, tableOf } from "#test/house/pages/page.ts";

function reasoningOf({ reasoning }: Traits): string {
  if (!reasoning) return "not said";
  const { forms, always, by_default } = reasoning;
  if (forms.length === 0) return always ? "always, no way to ask" : "never";
  const when = always ? "always" : by_default === undefined ? "" : by_default ? "by default" : "when asked";
  return [forms.join(", "), when].filter(Boolean).join("; ");
}

function amountOf({ reasoning }: Traits): string {
  const { efforts, budget_tokens: budget } = reasoning ?? {};
  const range = budget ? [`${budget.min} to ${budget.max} tokens`] : [];
  return [...(efforts ? [efforts.join(" ")] : []), ...range].join("; ") || "–";
}

function samplingOf({ sampling }: Traits): string {
  const { refused = [], refused_reasoning = [], one_of = [], temperature_max } = sampling ?? {};
  const parts = [
    ...(refused.length > 0 ? [codes(refused)] : []),
    ...(refused_reasoning.length > 0 ? [`while it reasons ${codes(refused_reasoning)}`] : []),
    ...one_of.map((group) => `${codes(group)} together`),
    ...(temperature_max === undefined ? [] : [`\`temperature\` above ${temperature_max}`]),
  ];
  return parts.join("; ") || "–";
}

function mediaOf({ inputs }: Traits): string {
  if (!inputs) return "not said";
  const kinds = (["image", "pdf", "audio", "video"] as const).flatMap((kind) => {
    const [url, bytes] = [inputs.includes(`${kind}_url`), inputs.includes(`${kind}_bytes`)];
    if (!url && !bytes) return [];
    return [url && bytes ? kind : `${kind} ${url ? "by address" : "as bytes"}`];
  });
  return kinds.join(", ") || "none";
}

/**
 * A row for each group of models that take the same, in the catalog's order. A model of which nothing is stated but its
 * provider's dialect has none.
 */
export function familiesTable({ models, providers }: Catalog): string {
  const rows = new Map<string, string[]>();
  for (const model of models.filter(({ capabilities }) => capabilities.includes("chat"))) {
    if (!model.traits) continue;
    const traits = traitsAt(model, providers[model.channels[0]?.provider ?? ""] ?? {});
    const cells = [
      reasoningOf(traits),
      amountOf(traits),
      samplingOf(traits),
      traits.stop_max === undefined ? "not said" : String(traits.stop_max),
      mediaOf(traits),
    ].join(" | ");
    rows.set(cells, [...(rows.get(cells) ?? []), model.id]);
  }
  return tableOf(
    ["Models", "Reasoning", "How much", "Refuses", "Stops", "Media"],
    [...rows].map(([cells, ids]) => [codes(ids), ...cells.split(" | ")]),
  );
}
