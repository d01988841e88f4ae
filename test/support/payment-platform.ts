/** The sandbox of payment platforms, with its keys made. */

import type { SandboxSettings } from "#infra/local/sandbox/payment-platform/keys.ts";
import { openPaymentPlatform } from "#infra/local/sandbox/payment-platform/server.ts";
import type { OpenSandbox, SandboxOptions } from "#infra/local/sandbox/payment-platform/trade.ts";

export interface Sandbox extends Omit<OpenSandbox, "makeSettings"> {
  settings: SandboxSettings;
}

/** Starts it. Rejects when the port is taken. */
export async function startPaymentPlatform(options: SandboxOptions): Promise<Sandbox> {
  const { makeSettings, ...sandbox } = await openPaymentPlatform(options);
  return { ...sandbox, settings: await makeSettings() };
}
