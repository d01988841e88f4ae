/** What a trace tells of a call's tags. */
import { expect, test } from "vitest";
import { trace } from "#shared/edges/operator/trace.ts";
import { eventOf, intentOf } from "#test/support/store.ts";
import { entryOf, hold, id, meters, place } from "#test/support/traces.ts";

const event = eventOf(hold, "0.25");

test("tells its tags, from its intent and, once that is gone, from its entry", async () => {
  const tags = "feature=rag,team=search";
  const known = { intent: async () => ({ ...intentOf(hold), tags }) };
  const ledger = { entriesOf: async () => [entryOf({ ...event, tags })] };
  for (const each of [place({ meters: meters(known) }), place({ ledger })]) {
    const step = (await trace(id, "org_1", each)).find((one) => one.step === "admitted");
    expect(step).toMatchObject({
      facts: { tags },
      detail: expect.stringMatching(/, tags feature=rag,team=search$/),
    });
  }
});
