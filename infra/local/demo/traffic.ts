/**
 * Some calls of the demo account, so that a newcomer's console has something to show. They go through the gateway like
 * any client's, and are booked like them. Only models are asked that the demo provider plays: no vendor is paid for a demo.
 */
import type { Catalog, ModelEntry } from "#shared/catalog/catalog.ts";

/** How many calls, and how many models they go to. */
const callsMax = 30;
const modelsMax = 5;
/** Between two calls, milliseconds: a chart by the minute has more than one bar then. */
const pauseMs = 1_000;

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

/** Makes the calls one after the other. A call that fails ends them, because the gateway is ending too. */
export async function sendDemoTraffic({ url, key, models, signal }: Traffic): Promise<void> {
  for (let call = 0; call < (models.length === 0 ? 0 : callsMax) && !signal.aborted; call++) {
    // The first model is asked most, as in life.
    const model = models[Math.floor(((call % 6) ** 2 / 36) * models.length)];
    const body = {
      model,
      stream: call % 2 === 0,
      user: `customer-${call % 3}`,
      messages: [{ role: "user", content: questions[call % questions.length] }],
    };
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal,
    });
    await answer.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
  }
}
