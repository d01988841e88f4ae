/** What the programs play against: the scripted provider, the local gateway before it, and the books of both. */

import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { openBooks, type SessionBooks } from "#test/support/session-books.ts";
import type { ChatModel } from "../sdk/models.ts";
import { matrixCatalog, shipped as shippedCatalog } from "../sdk/models.ts";
import { type Scripted, startScripted } from "./provider.ts";

/** The model of each protocol of a provider: one that is named as a real one, so that the provider is as strict. */
export const models = {
  openai: "openai/gpt-5.4",
  responses: "openai/gpt-5.6-sol",
  anthropic: "anthropic/claude-opus-4-8",
  gemini: "google/gemini-3.5-flash",
} as const satisfies Record<string, ChatModel>;

export type ProviderProtocol = keyof typeof models;
export const protocols = Object.keys(models) as ProviderProtocol[];

export interface World {
  gateway: LocalGateway;
  provider: Scripted;
  books: SessionBooks;
  /** The gateway with the default catalog's models of the programs' vendors, which starts when it is first wanted. */
  shipped(): Promise<LocalGateway>;
  /** The key of a new customer at either gateway. */
  keyAt(gateway: LocalGateway): Promise<string>;
  stop(): Promise<void>;
}

/** The models of the matrix, with a plan without a single call, and one with a call a minute. */
function catalogAt(url: string): object {
  const catalog = matrixCatalog({ chats: url, embeddings: url }) as { plans: Record<string, object> };
  const price = { monthly: "0", quarterly: "0", yearly: "0" };
  const plan = (quota: number, rpm: number) => {
    const calls = { monthly: quota, quarterly: quota, yearly: quota };
    return { price, quota: calls, rpm, tpm: null, tpd: null };
  };
  return { ...catalog, plans: { ...catalog.plans, none: plan(0, 100), slow: plan(100, 1) } };
}

/** The vendors whose models the programs choose by themselves. */
const vendors = ["openai", "anthropic", "gemini"];

/** The default catalog's models of these vendors, each at the protocols that it has there, behind the provider at `url`. */
function shippedAt(url: string): object {
  const { providers, pricing_groups, models, plans, payg } = shippedCatalog;
  const own = vendors.map((name) => {
    const protocols = Object.entries(providers[name]?.protocols ?? {}).map(([protocol, base]) => [
      protocol,
      url + new URL(base).pathname.replace(/\/$/, ""),
    ]);
    return [name, { ...providers[name], protocols: Object.fromEntries(protocols), secret: "TEST_API_KEY" }];
  });
  return {
    version: "2026-11-28",
    providers: Object.fromEntries(own),
    pricing_groups,
    models: models
      .map((entry) => ({
        ...entry,
        channels: entry.channels.filter(({ provider }) => vendors.includes(provider)),
      }))
      .filter(({ channels }) => channels.length > 0),
    // Some of their tools have rates at no model of these vendors.
    plans: Object.fromEntries(
      Object.entries(plans).map(([name, plan]) => [name, { ...plan, models: ["*"], tools: {} }]),
    ),
    payg,
  };
}

/** Starts all of it. */
export async function startWorld(): Promise<World> {
  const provider = await startScripted();
  try {
    const catalog = catalogAt(provider.url);
    const env = { TEST_API_KEY: "upstream-secret" };
    const gateway = await startLocal({ catalog, env });
    const books = await openBooks(gateway, "1000");
    let shipped: Promise<LocalGateway> | undefined;
    let shippedBooks: Promise<SessionBooks> | undefined;
    return {
      gateway,
      provider,
      books,
      shipped: () => (shipped ??= startLocal({ catalog: shippedAt(provider.url), env })),
      async keyAt(place) {
        shippedBooks ??= shipped?.then((its) => openBooks(its, "1000"));
        const own = place === gateway ? books : await shippedBooks;
        if (!own) throw new Error("that gateway is none of this world");
        return (await own.customer()).key;
      },
      async stop() {
        await (await shipped)?.stop();
        await gateway.stop();
        await provider.stop();
      },
    };
  } catch (error) {
    await provider.stop();
    throw error;
  }
}
