/**
 * Some calls of the demo account, so that a newcomer's console has something to show. They go through the gateway like
 * any client's, and are booked like them. Only models are asked that the demo provider plays: no vendor is paid for a demo.
 */
import { setTimeout } from "node:timers/promises";
import type { Catalog, ModelEntry } from "#shared/books/catalog/catalog.ts";

/** How many calls, and how many models they go to. */
const callsMax = 30;
const modelsMax = 5;
/** Between two calls, milliseconds: a chart by the minute has more than one bar then. */
const pauseMs = 1_000;
/** A call that is not answered by then is given up. */
const callMs = 30_000;
/** Between two questions whether the first call is counted. */
const askMs = 100;

const questions = [
  "Say hello.",
  "What is a ledger?",
  "Name three rivers of Asia.",
  "Write a line about autumn.",
  "Why is the sky blue?",
  "Translate good morning into French.",
];

/** The models that are asked, of as many vendors as there are. */
export function demoModels({ models }: Catalog, played: readonly string[]): string[] {
  const isPlayed = ({ channels, capabilities }: ModelEntry) =>
    capabilities.includes("chat") && channels.every(({ provider }) => played.includes(provider));
  const byVendor = new Map<string, string>();
  for (const { id } of models.filter(isPlayed)) {
    const [vendor = ""] = id.split("/");
    if (vendor !== "demo" && !byVendor.has(vendor)) byVendor.set(vendor, id);
  }
  return [...byVendor.values()].slice(0, modelsMax);
}

interface Traffic {
  url: string;
  key: string;
  models: readonly string[];
  /** Ends it early. */
  signal: AbortSignal;
}

/** Makes the calls one after the other; a busy machine may fail some. Rejects with the last failure where all failed. */
export async function sendDemoTraffic(traffic: Traffic): Promise<void> {
  const { models, signal } = traffic;
  let isAnswered = false;
  let failure: unknown;
  for (let call = 0; call < (models.length === 0 ? 0 : callsMax) && !signal.aborted; call++) {
    try {
      await sendCall(call, traffic);
      isAnswered = true;
    } catch (error) {
      if (!signal.aborted) failure = error;
    }
    await setTimeout(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
  if (!isAnswered && failure !== undefined) throw failure;
}

async function sendCall(call: number, { url, key, models, signal }: Traffic): Promise<void> {
  const body = {
    // The first model is asked most, as in life.
    model: models[Math.floor(((call % 6) ** 2 / 36) * models.length)],
    stream: call % 2 === 0,
    user: `customer-${call % 3}`,
    messages: [{ role: "user", content: questions[call % questions.length] }],
  };
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.any([signal, AbortSignal.timeout(callMs)]),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the demo's call ${call + 1} was answered ${answer.status}: ${text}`);
}

/**
 * Resolves when a key's first call is counted in today's usage, some time after its answer. Rejects when `signal` ends.
 */
export async function untilCounted({ url, key, signal }: Omit<Traffic, "models">): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  for (;;) {
    const answer = await fetch(`${url}/api/v1/usage?period=today`, { headers, signal });
    const usage = (await answer.json()) as { totals: { calls: number } };
    if (answer.ok && usage.totals.calls > 0) return;
    await setTimeout(askMs, undefined, { signal, ref: false });
  }
}
