/** What is valid for the client's vendor is valid for the provider's, or is refused by name (crossings.md "Bounds"). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusalOf } from "#infra/local/demo/strictness.ts";
import { crossed, faultIn, faultOf, pairs, sides } from "#test/support/crossed-pairs.ts";
import { laxBody, oddBody } from "#test/support/odd-requests.ts";
import { families } from "#test/support/traits.ts";

/** More are played with `CROSSINGS=100000`. */
const numRuns = Number(process.env.CROSSINGS ?? 60);

describe.each(pairs)("$client.name to $provider.name", ({ client, provider }) => {
  test("no vendor refuses what crosses", { timeout: 3_600_000 }, () => {
    let crossedAtAll = 0;
    fc.assert(
      fc.property(oddBody(client.name), (body) => {
        expect(refusalOf(client.vendor, "upstream", body)).toBeUndefined();
        const sent = crossed(client.name, provider.name, body);
        crossedAtAll += Number(sent.refused === undefined);
        expect(faultIn(provider, sent)).toBeUndefined();
      }),
      { seed: 27, numRuns },
    );
    expect(crossedAtAll).toBeGreaterThan(numRuns / 2);
  });

  test("nor what a host of the client's protocol takes that looks at less", { timeout: 3_600_000 }, () => {
    fc.assert(
      fc.property(laxBody(client.name), (body) => {
        expect(faultOf(client, provider, body)).toBeUndefined();
      }),
      { seed: 33, numRuns: Math.ceil(numRuns / 3) },
    );
  });
});

describe.each(sides)("from $name to the default catalog", (client) => {
  const others = families.filter(({ room }) => room !== client.name);

  test.each(others)("$id takes what crosses in $room", ({ room, vendor, name, traits }) => {
    fc.assert(
      fc.property(oddBody(client.name), (body) => {
        const sent = crossed(client.name, room, body, { model: name, traits });
        if (sent.refused !== undefined) return;
        const refusal = refusalOf(vendor, name, sent.body);
        // Such a call goes over Responses (`upstream-route.ts`).
        const isElsewhere = traits.reasoning?.always && refusal?.rule === "tools beside reasoning";
        if (refusal && !isElsewhere) expect(refusal).toBeUndefined();
      }),
      { seed: 28, numRuns: Math.ceil(numRuns / 10) },
    );
  });
});
