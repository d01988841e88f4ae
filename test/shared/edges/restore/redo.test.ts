/**
 * A stage in memory is restored, with the real stores. The instant may be any moment among the steps of its calls. Each
 * call is then booked and charged once, and the audit is clean.
 */
import { describe, expect, it } from "vitest";
import { seeded } from "#test/support/random.ts";
import { type Acting, booksOf, openStory } from "#test/support/restored-story.ts";

/** Calls of three customers, whose steps are mixed by chance, and an instant somewhere among them. */
async function run(seed: number) {
  const chance = seeded(seed);
  const story = await openStory();
  const payg = await story.open("payg", { points: "100" });
  const plan = await story.open("plan", { plan: "free" });
  const limits = { budget_points: "50", budget_period: "month" } as const;
  const keys = [
    [payg, await story.keyOf(payg)],
    [payg, await story.keyOf(payg, { limits })],
    [plan, await story.keyOf(plan, { limits })],
  ] as const;
  story.step();
  const waiting: [Acting, step: number][] = [];
  const started = 14;
  const instantAt = chance(started * 3);
  let instant = 0;
  for (let done = 0, begun = 0; done < started * 3; done++) {
    if (done === instantAt) {
      story.stage.mark();
      instant = story.now();
      story.step();
    }
    if (begun < started && (waiting.length === 0 || chance(3) === 0)) {
      const [organization, key] = keys[chance(keys.length)] ?? keys[0];
      waiting.push([story.call(organization, key, `0.0${1 + chance(9)}`), 0]);
      begun += 1;
    }
    const at = chance(waiting.length);
    const [call, step] = waiting[at] ?? waiting[0] ?? [];
    if (!call || step === undefined) throw new Error("there is no call");
    if (step === 0) await call.admit();
    else if (step === 1) await call.settle();
    else if (chance(6) === 0) story.stage.letters.push(call.event);
    else await call.record();
    waiting.splice(at, 1, ...(step < 2 ? [[call, step + 1] as [Acting, number]] : []));
    story.step(chance(2) === 0 ? 1000 : 40_000);
  }
  return { story, instant };
}

describe("calls that are done again", () => {
  // The audit waits for calls in flight, so the seeds wait together.
  it.concurrent.each(Array.from({ length: 25 }, (_, seed) => seed))(
    "are each charged once (seed %i)",
    async (seed) => {
      const { story, instant } = await run(seed);
      const restored = await story.restore(instant, ["calls"]);
      expect(restored.redone?.failed).toEqual([]);
      expect(restored.losses.calls).toEqual([]);
      expect(restored.audit.invariants.filter(({ holds }) => !holds)).toEqual([]);
      await story.sweepRestored();
      await story.stores.ledger.record(story.stage.letters);
      const books = await booksOf(story.restored);
      expect(books).toEqual(await booksOf(story.stores));
      // A second time changes nothing.
      await story.restore(instant, ["calls"]);
      expect(await booksOf(story.restored)).toEqual(books);
    },
  );
});
