/** What models are looked for by, and in which order they stand. The whole list is here, so nothing is asked for. */
import type { Model } from "./api-types.ts";
import { type MainPrice, mainPrice } from "./model-price.ts";

/** What a model is for and what it can, in the order in which the page offers it. */
export const abilities = [
  ...["chat", "embeddings", "images", "video"],
  ...["tools", "vision", "reasoning", "pdf", "audio", "clips", "cached", "web_search"],
] as const;
export type Ability = (typeof abilities)[number];

export const orders = ["new", "name", "vendor", "input", "output", "context"] as const;
export type ModelSort = (typeof orders)[number];

/** Who pays for a call of the reader's organization, or why there is none. */
export type PaidBy = "plan" | "wallet" | "permission" | "none";

/** What pays in an organization: the name of its plan, and whether it has a wallet. */
export interface Payer {
  plan: string | undefined;
  wallet: boolean;
}

/** A model with what it is looked for by. */
export interface FoundModel {
  model: Model;
  /** What is compared with the words of a search. */
  text: string;
  abilities: ReadonlySet<Ability>;
  price: MainPrice | undefined;
  access: PaidBy;
}

export interface ModelSearch {
  text: string;
  /** Empty: every vendor. */
  vendor: string;
  /** The model has all of these. */
  abilities: readonly Ability[];
  /** The least context, in tokens. */
  context: number;
  /** The most that a million tokens of input cost, in points. Undefined: anything, also what is not charged by tokens. */
  price: number | undefined;
  /** Only those that somebody pays for. */
  callable: boolean;
  order: ModelSort;
}

/** Names are found whatever their case, and with `.` and `_` read as `-`, as the gateway finds them. */
const normal = (text: string) => text.toLowerCase().replaceAll(/[._]/g, "-");

/** Prepares a model for searches. */
export function found(model: Model, payer: Payer): FoundModel {
  const { id, display_name, owned_by, aliases } = model;
  const price = mainPrice(model);
  return {
    model,
    text: normal([id, display_name, owned_by, ...aliases].join(" ")),
    abilities: abilitiesOf(model, price),
    price,
    access: accessOf(model, payer),
  };
}

/** Whose calls of the model are paid how. A plan goes first: its calls cost no points. */
export function accessOf({ permission, plans }: Pick<Model, "permission" | "plans">, payer: Payer): PaidBy {
  if (permission) return "permission";
  if (payer.plan !== undefined && plans.includes(payer.plan)) return "plan";
  return payer.wallet ? "wallet" : "none";
}

function abilitiesOf({ capabilities, inputs }: Model, price: MainPrice | undefined): Set<Ability> {
  const has = (name: string) => capabilities.includes(name);
  const tests: Record<Ability, boolean> = {
    chat: has("chat"),
    embeddings: has("embeddings") || has("multimodal_embeddings"),
    images: has("images"),
    video: has("video"),
    tools: has("tools"),
    vision: has("vision"),
    reasoning: has("reasoning"),
    pdf: inputs.includes("pdf"),
    audio: inputs.includes("audio"),
    clips: inputs.includes("video"),
    cached: price?.cached !== undefined && Number(price.cached) < Number(price.input),
    web_search: price?.tools.some((name) => name.startsWith("web_search")) ?? false,
  };
  return new Set(abilities.filter((name) => tests[name]));
}

/** The models that a search leaves, in its order. What has no such price or context stands last. */
export function search(models: readonly FoundModel[], wanted: ModelSearch): FoundModel[] {
  const words = normal(wanted.text).split(/\s/).filter(Boolean);
  const fits = ({ model, text, abilities, price, access }: FoundModel) =>
    words.every((word) => text.includes(word)) &&
    (!wanted.vendor || model.owned_by === wanted.vendor) &&
    wanted.abilities.every((name) => abilities.has(name)) &&
    model.context_tokens >= wanted.context &&
    (wanted.price === undefined ||
      (price?.input !== undefined && costOf(price.input, model) <= wanted.price)) &&
    (!wanted.callable || access === "plan" || access === "wallet");
  return models.filter(fits).toSorted((one, other) => compared(one, other, wanted.order));
}

const costOf = (price: string, { discount_rate }: Model) => Number(price) * Number(discount_rate);

function compared(one: FoundModel, other: FoundModel, order: ModelSort): number {
  return (
    rankOf(one, order) - rankOf(other, order) || nameOf(one, order).localeCompare(nameOf(other, order), "en")
  );
}

/** What goes first has the least. */
function rankOf({ model, price }: FoundModel, order: ModelSort): number {
  if (order === "new") return -model.created;
  if (order === "context") return -model.context_tokens;
  if (order !== "input" && order !== "output") return 0;
  const each = price?.[order];
  return each === undefined ? Number.MAX_VALUE : costOf(each, model);
}

const nameOf = ({ model }: FoundModel, order: ModelSort) =>
  `${order === "vendor" ? model.owned_by : ""} ${model.display_name} ${model.id}`;

/** The search that an address has. What it says wrong is as if it said nothing. */
export function searchOf(query: URLSearchParams): ModelSearch {
  const order = query.get("sort") as ModelSort;
  const price = query.get("price") ?? "";
  const asked = (query.get("can") ?? "").split(",");
  const context = Number(query.get("context"));
  return {
    text: query.get("q") ?? "",
    vendor: query.get("vendor") ?? "",
    abilities: abilities.filter((name) => asked.includes(name)),
    context: context > 0 ? context : 0,
    price: isPrice(price) ? Number(price) : undefined,
    callable: query.get("mine") === "1",
    order: orders.includes(order) ? order : "new",
  };
}

/** Whether a text is an amount of points. */
export const isPrice = (text: string): boolean => /^\d{1,9}(?:\.\d{1,9})?$/.test(text.trim());

/** The address of a model's own page, behind that of the list. */
export const modelPath = (id: string): string => id.split("/").map(encodeURIComponent).join("/");
