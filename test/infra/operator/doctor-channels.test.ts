/** What `operator doctor` says of channels that operators have taken out. */
import { expect, test } from "vitest";
import type { ChannelAct } from "#shared/calls/routing/taken-out.ts";
import { toItem } from "#shared/edges/store/dynamodb/attributes.ts";
import { type Changes, denied, examined, now } from "#test/support/account.ts";

const hourMs = 3_600_000;

/** What operators did to one channel. */
const did = (...acts: ChannelAct[]): Changes["answers"] => ({
  "dynamodb:Query": () => ({
    Items: [
      toItem({
        ...{ pk: "L#channels", sk: "k3x9q0", channel: "k3x9q0", provider: "acme", name: "model-1" },
        ...{ models: ["acme/model-1"], revision: 1, acts },
      }),
    ],
  }),
});
const left = (hours: number, more: Partial<ChannelAct> = {}): ChannelAct => ({
  ...{ what: "left", at: now - hours * hourMs, by: "ops", why: "wrong answers" },
  ...more,
});

test.each<[string, string, string, Changes["answers"]]>([
  ["none was", "ok", "none is taken out", {}],
  ["one is since 23 hours", "ok", "1 channel taken out, none for more than a day", did(left(23))],
  ["one was for a time that is over", "ok", "none is taken out", did(left(48, { until: now - 1 }))],
  ["one has returned", "ok", "none is taken out", did(left(48), { what: "returned", at: now, by: "ops" })],
  [
    "one is since 25 hours",
    "warn",
    "k3x9q0 (acme, model-1) since 2026-11-22T11:00:00.000Z: wrong answers",
    did(left(25)),
  ],
  ["the table may not be read", "unknown", "may not use dynamodb:Query", { "dynamodb:Query": denied }],
])("where %s: %s, %s", async (_, status, seen, answers = {}) => {
  const found = (await examined({ answers })).of("channels");
  expect(found).toMatchObject({ status, seen: expect.stringContaining(seen) });
  if (status === "warn") expect(found?.action).toContain("channel return");
});
