/** Each rule of the bounds is needed: without it a vendor refuses what crosses, or something is lost. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { bounds } from "#shared/calls/protocols/bounds/table.ts";
import { boundsMutants } from "#test/shared/calls/protocols/bounds/bounds-mutants.ts";
import { faultOf, type Side, sides } from "#test/support/crossed-pairs.ts";
import { laxBody, oddBody } from "#test/support/odd-requests.ts";

/** The same requests for every mutant: those that a client's vendor takes, and some that other hosts do. */
const requests = sides.flatMap((client) => [
  ...fc.sample(oddBody(client.name), { seed: 32, numRuns: 200 }).map((body) => ({ client, body })),
  ...fc.sample(laxBody(client.name), { seed: 33, numRuns: 100 }).map((body) => ({ client, body })),
]);

const hasFault = (provider: Side): boolean =>
  requests.some(
    ({ client, body }) => client.name !== provider.name && faultOf(client, provider, body) !== undefined,
  );

test("with all rules of the bounds there is no fault", () => {
  for (const provider of sides) expect(hasFault(provider)).toBe(false);
});

test.each(boundsMutants)("without $rule there is one", ({ provider: name, broken }) => {
  const kept = bounds[name];
  try {
    bounds[name] = broken;
    expect(hasFault(sides.find((side) => side.name === name) as Side)).toBe(true);
  } finally {
    bounds[name] = kept;
  }
});
