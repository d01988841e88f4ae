/** The cards that Stripe's sandbox keeps, and the pages where they are saved. */
import { randomBytes } from "node:crypto";
import type { CardKind } from "./trade.ts";

/** An id as Stripe makes them. */
export const stripeId = (kind: string) => `${kind}_${randomBytes(12).toString("hex")}`;

/** A page where a card is saved. */
export interface SandboxCardPage {
  reference: string;
  customer: string;
  organization: string;
  return_url: string;
  /** The card that was saved there. */
  method?: string;
}

export interface SandboxCard {
  id: string;
  kind: CardKind;
  /** Null once it is detached. */
  customer: string | null;
}

/** The customers of an account, with their pages and cards. */
export class Cards {
  readonly customers = new Map<string, { organization: string }>();
  readonly pages = new Map<string, SandboxCardPage>();
  readonly #cards = new Map<string, SandboxCard>();

  /** Saves a card of a kind on a page that is open. */
  save(page: SandboxCardPage, kind: CardKind): void {
    if (page.method !== undefined) throw new Error("the page is complete");
    page.method = stripeId("pm");
    this.#cards.set(page.method, { id: page.method, kind, customer: page.customer });
  }

  /** Does the same on the page with this address. */
  saveAt(address: string, kind: CardKind): void {
    const page = this.pages.get(address.slice(address.lastIndexOf("/") + 1));
    if (!page) throw new Error("the sandbox knows no such page");
    this.save(page, kind);
  }

  /** Forgets a customer and their cards, as somebody may delete one on Stripe's own pages. */
  forget(customer: string): void {
    this.customers.delete(customer);
    for (const card of this.of(customer)) card.customer = null;
  }

  card(id: string): SandboxCard | undefined {
    return this.#cards.get(id);
  }

  of(customer: string): SandboxCard[] {
    return [...this.#cards.values()].filter((card) => card.customer === customer);
  }
}
