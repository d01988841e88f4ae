/** What the sandbox's platforms are asked, and what they answer. */
import type { SandboxKeys } from "./keys.ts";
import type { Cards } from "./saved-cards.ts";
import type { Trade } from "./trade.ts";
import type { Trades } from "./trades.ts";

export interface SandboxRequest {
  method: string;
  path: string;
  query: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

export interface SandboxAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** What a platform of the sandbox works with. */
export interface PlatformDeps {
  keys: SandboxKeys;
  trades: Trades;
  /** The cards that Stripe keeps. */
  cards: Cards;
  /** Where a card is saved. */
  cardPage: (reference: string) => string;
  /** Calls the merchant about a trade. */
  tell: (trade: Trade) => void;
  /** Where the customer of an order pays. */
  payPage: (reference: string) => string;
  /** Unix milliseconds. */
  now: () => number;
}

/** A call of a platform to the merchant. */
export interface Notice {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The route of a request, with the last variable part of its path. Undefined where there is none. */
export function routeOf<Route>(
  routes: readonly [method: string, path: RegExp, route: Route][],
  { method, path }: SandboxRequest,
): { route: Route; id: string } | undefined {
  const found = routes.find(([of, form]) => of === method && form.test(path));
  return found && { route: found[2], id: decodeURIComponent(found[1].exec(path)?.[1] ?? "") };
}

/** The only value of a header, or an empty text. */
export function headerOf({ headers }: SandboxRequest, name: string): string {
  const value = headers[name];
  return typeof value === "string" ? value : "";
}
