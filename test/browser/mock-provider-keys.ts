/** The mocked organization's keys at providers: one that serves alone, one before ours, and a provider without one. */
import type { ProviderKey } from "../../console/api-types.ts";

const key = (own: Omit<ProviderKey, "object">): ProviderKey => ({ object: "provider_key", ...own });

export const providerKeys = [
  key({ provider: "anthropic", use: "first", last_four: "9fQA", set_at: "2026-11-20T08:30:00.000Z" }),
  key({ provider: "openai", use: "only", last_four: "x7Qa", set_at: "2026-11-29T10:00:00.000Z" }),
  key({ provider: "zhipu", use: null, last_four: null, set_at: null }),
];
