/** What the bench prints of processes, bundles, transports and money. */

import { batchAt } from "#infra/cost/metering.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import type { BundleFigures } from "./bundles.ts";
import { type Counted, rateAt } from "./cost.ts";
import { dollars, dollarsOfTasks, dollarsOfUnits } from "./dollars.ts";
import type { FirstCalls } from "./first-call.ts";
import type { SemanticCounted } from "./semantic-cost.ts";
import type { CallCosts } from "./transports.ts";

interface Figures {
  /** The function's process alone, and all of `npm start`. */
  startMs: number;
  wholeStartMs: number;
  bundles: BundleFigures[];
  firstCalls: FirstCalls[];
  callCosts: CallCosts;
  metering: Counted;
  semantic: SemanticCounted;
}

/** Prints it to standard output. */
export function show(figures: Figures): void {
  console.log("\nGateway process");
  console.log(line("  start until it serves, ms", figures.startMs.toFixed(0)));
  console.log(line("  all of `npm start`, ms", figures.wholeStartMs.toFixed(0)));
  console.log(line("\nBundles", "KB", "loaded, ms", "AWS is called, ms"));
  for (const { name, kilobytes, startMs, connectMs } of figures.bundles) {
    const called = Number.isNaN(connectMs) ? "–" : connectMs.toFixed(1);
    console.log(line(`  ${name}`, kilobytes.toFixed(0), startMs.toFixed(1), called));
  }
  console.log(line("\nCPU in AWS's runtime client, ms", "start", "first call", "second"));
  for (const { name, start, first, second } of figures.firstCalls) {
    console.log(line(`  ${name}`, ...[start, first, second].map((ms) => ms.toFixed(1))));
  }
  console.log("\nCPU of one call to AWS, µs");
  console.log(line("  lean transport", figures.callCosts.lean.toFixed(0)));
  console.log(line("  AWS's client", figures.callCosts.clients.toFixed(0)));
  showMetering(figures.metering);
  showSemantic(figures.semantic);
  showTasks();
}

/** What a million calls may cost (design §8). */
const dollarsTarget = 5;

function showMetering({ calls, recording }: Counted): void {
  const entry = recording.entry.toFixed(1);
  const rollup = recording.rollup.toFixed(1);
  console.log(
    `\nAWS metering of a call; the ledger writes ${entry} units, and ${rollup} that a batch shares, of each key`,
  );
  console.log(line("", "writes", "reads", "sends", "$/M alone", "$/M by 10", "of 10 keys"));
  for (const { name, ...call } of calls) {
    const cells = [
      call.writes,
      call.reads,
      call.sends,
      dollars(call, recording, 1),
      dollars(call, recording, 10),
      dollars(call, recording, 10, 10),
    ];
    console.log(line(`  ${name}`, ...cells.map((cell) => cell.toFixed(2))));
  }
  const [plain] = calls;
  if (!plain) return;
  console.log("  one at a time, of one customer and model, so many a second");
  for (const perSecond of [1, 10, 100]) {
    const batch = batchAt(perSecond);
    const cells = [batch.toFixed(1), dollars(plain, recording, batch).toFixed(2)];
    console.log(line(`    ${perSecond}: events in a batch, $/M`, ...cells));
  }
  const rate = rateAt(dollarsTarget, plain, recording);
  console.log(line(`    at most $${dollarsTarget} a million from`, String(rate ?? "never")));
}

/** The demo judge's tokens at the prices of the models that the default catalog names. */
function showSemantic({ calls, lessons }: SemanticCounted): void {
  const { embedder = 0, verifier = 0 } = inputPrices();
  console.log("\nAWS metering of a semantic call, without its entry, and what its models cost");
  console.log(line("", "writes", "reads", "$/M", "tokens", "models"));
  for (const { name, hits, embedded_tokens, judged_tokens, ...units } of calls) {
    const models = embedded_tokens * embedder + judged_tokens * verifier;
    const cells = [units.writes, units.reads, dollarsOfUnits(units), embedded_tokens + judged_tokens, models];
    console.log(line(`  ${name} (${hits} of 10 hit)`, ...cells.map((cell) => cell.toFixed(2))));
  }
  for (const { name, ...units } of lessons) {
    const cells = [units.writes, units.reads, dollarsOfUnits(units)];
    console.log(line(`  lesson: ${name}`, ...cells.map((cell) => cell.toFixed(2))));
  }
}

/** Dollars of a million input tokens of the two models. */
function inputPrices(): { embedder?: number; verifier?: number } {
  const { cache = {}, models } = catalogFile as {
    cache?: { embedder?: string; verifier?: string };
    models: { id: string; price: { input?: unknown } }[];
  };
  const priceOf = (id: string | undefined) => Number(models.find((model) => model.id === id)?.price.input);
  return { embedder: priceOf(cache.embedder), verifier: priceOf(cache.verifier) };
}

/** A video of three minutes is looked at eight times (the worker's waits: 2, 5, 10 s, then ever longer up to 60 s). */
const pollsOfThreeMinutes = 8;

function showTasks(): void {
  const { transitions, invocations, dollars: whole } = dollarsOfTasks(pollsOfThreeMinutes);
  console.log("\nWorkflow of a video task of three minutes, by the price list");
  console.log(line("  state transitions", String(transitions)));
  console.log(line("  invocations of the worker", String(invocations)));
  console.log(line("  dollars a million tasks", whole.toFixed(0)));
}

function line(label: string, ...cells: string[]): string {
  return label.padEnd(44) + cells.map((cell) => cell.padStart(10)).join("");
}
