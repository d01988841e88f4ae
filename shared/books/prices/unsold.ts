/** Which rows of a list must not be sold at their price, and what embeddings' rows leave out. */
import type { ListedModel } from "./list.ts";

/** Embeddings have no output, and lists leave its price out. */
export function whole(listed: ListedModel): ListedModel {
  const isVectors = listed.about.capabilities.includes("embeddings");
  return isVectors ? { ...listed, rates: { output: { digits: 0n, places: 0 }, ...listed.rates } } : listed;
}

/** Prices of things that every call of such a model has: a catalog without them would charge too little. */
const unavoidable: readonly { fields: RegExp; of: RegExp; why: string }[] = [
  { fields: /reasoning/, of: /./, why: "the list prices reasoning apart from other output" },
  { fields: /per_request|requests_kcount/, of: /./, why: "the list has a price for each request" },
  {
    fields: /per_query/,
    of: /sonar|search|compound/,
    why: "it searches unasked, and the list prices searches",
  },
];

/** That a model's provider no longer serves it on `today`; undefined where it does. `ends` is as in the facts of a list. */
export function endOf(ends: string | undefined, today: string): string | undefined {
  if (ends !== undefined && ends <= today) return `its provider no longer serves it since ${ends}`;
  return ends === "gone" ? "its provider no longer serves it" : undefined;
}

/** Why a row must not be sold at its price; undefined where it may. */
export function whyUnsold(
  { name, about, others, rates, image }: ListedModel,
  today: string,
): string | undefined {
  const end = endOf(about.ends, today);
  if (end !== undefined) return end;
  const isFree = [rates.input, rates.output, image].every((rate) => !rate || rate.digits === 0n);
  if (isFree) return "price: the list has it for free, or does not know its price";
  for (const { fields, of, why } of unavoidable) {
    const other = of.test(name) ? others.find((each) => fields.test(each)) : undefined;
    if (other !== undefined) return `price: ${why} (${other})`;
  }
  return undefined;
}
