/** What the programs play against: the scripted provider, the local gateway before it, and the books of both. */

import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { openBooks, type SessionBooks } from "#test/support/session-books.ts";
import type { ChatModel } from "../sdk/models.ts";
import { matrixCatalog } from "../sdk/models.ts";
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

/** Starts all of it. */
export async function startWorld(): Promise<World> {
  const provider = await startScripted();
  try {
    const catalog = catalogAt(provider.url);
    const gateway = await startLocal({ catalog, env: { TEST_API_KEY: "upstream-secret" } });
    return {
      gateway,
      provider,
      books: await openBooks(gateway, "1000"),
      async stop() {
        await gateway.stop();
        await provider.stop();
      },
    };
  } catch (error) {
    await provider.stop();
    throw error;
  }
}
