/** Receipts of calls that failed or were refused, over the real stores: why, and what to do about it. */
import { beforeAll, describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import type { ToldAttempt, UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { Hold } from "#shared/books/meters/hold.ts";
import type { RefusedCall } from "#shared/calls/access/refused-calls.ts";
import { retrieveReceipt } from "#shared/edges/api/receipts.ts";
import { eventOf, intentOf, noon, openWallet, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db, ledger, meters, replays, refusedCalls } = useStores();
let hold: Hold;

beforeAll(async () => {
  hold = walletHold(await openWallet(db, "10"), "1");
});

async function receipt(id: string, organization = "org_1", project = ""): Promise<Record<string, unknown>> {
  const caller = { organization: { id: organization } as Organization, key: { project } as KeyRecord };
  const reply = await retrieveReceipt(id, caller, { ledger, meters, replays, refusedCalls });
  return JSON.parse(String(reply.body)) as Record<string, unknown>;
}

/** Records one event of its own, changed as given. */
async function recorded(change: Partial<UsageEvent>, cost = "0.01301"): Promise<UsageEvent> {
  const event = eventOf({ ...hold, request: newId("request", noon) }, cost, change);
  await ledger.record([event]);
  return event;
}

describe("a call that failed", () => {
  const advice = { en: expect.stringMatching(/\.$/), zh: expect.stringMatching(/。$/) };
  const attempts = [
    { provider: "other", channel: "d4e5f6", outcome: "fault", ms: 31, status: 503 },
    { provider: "acme", channel: "a1b2c3", outcome: "limited", ms: 8, status: 429, model: "test/model-0" },
    { provider: "acme", channel: "a1b2c4", outcome: "fault", ms: 30_000 },
  ] as const satisfies ToldAttempt[];
  const told = { routing: "basic", why: "failover", of: 3 } as const;
  const route: UsageEvent["route"] = { ...told, attempts: [...attempts] };
  const failed = { outcome: "failed", calls: 0, attempts: 3, route } as const;

  test("says code, status and sentence, what to do, and what each attempt got", async () => {
    const { id } = await recorded({ ...failed, error: "upstream_error" }, "0");
    expect(await receipt(id)).toMatchObject({
      outcome: "failed",
      error: {
        code: 50001,
        status: 500,
        type: "server_error",
        message: "The model's provider failed.",
        advice,
      },
      route: { attempts: attempts.map(({ channel: _, ...attempt }) => attempt) },
    });
  });

  test("says 200 where an answer had begun, and for a video, whose creation was answered", async () => {
    const last: UsageEvent["route"] = { ...told, attempts: [{ ...attempts[0], outcome: "answered" }] };
    const begun = { outcome: "truncated", attempts: 1, error: "insufficient_balance" } as const;
    for (const change of [begun, { ...begun, route: last }])
      expect(await receipt((await recorded(change)).id)).toHaveProperty("error.status", 200);
    const video = { kind: "video", outcome: "failed", calls: 0, attempts: 0, error: "no_channel" } as const;
    expect(await receipt((await recorded(video, "0")).id)).toHaveProperty("error.status", 200);
  });

  test("says no status where its process died, and nothing where an older version wrote it", async () => {
    const swept = { source: "sweeper", outcome: "truncated", flags: ["swept"], error: "internal" } as const;
    const { error } = await receipt((await recorded({ ...swept, flags: ["swept"], attempts: 0 })).id);
    expect(error).toMatchObject({ code: 50000, status: null });
    expect(await receipt((await recorded({ ...failed }, "0")).id)).toHaveProperty("error", null);
    const later = await recorded({ ...failed, error: "of_2027" as never }, "0");
    expect(await receipt(later.id)).toHaveProperty("error", null);
  });
});

describe("a call that was refused", () => {
  const call = (change: Partial<RefusedCall> = {}): RefusedCall => ({
    ...{ request: newId("request", noon), organization: "org_1", project: "tower", key: "key_1" },
    ...{ model: "test/model-1", path: "/v1/chat/completions", error: "permission_denied" },
    ...change,
  });

  test("has a receipt that says why, with what its client was told, although its intent says pending", async () => {
    const refused = call({ message: "The plan `free` does not have the model." });
    await (await refusedCalls()).add(refused);
    await meters.intend(intentOf({ ...hold, request: refused.request }));
    expect(await receipt(refused.request, "org_1", "tower")).toEqual({
      id: refused.request,
      object: "request",
      status: "refused",
      created_at: "2026-11-21T12:30:00.000Z",
      ended_at: null,
      kind: null,
      model: "test/model-1",
      project_id: "tower",
      key_id: "key_1",
      user: null,
      billing_mode: null,
      path: "/v1/chat/completions",
      error: {
        ...{ code: 40300, status: 403, type: "invalid_request_error" },
        message: "The plan `free` does not have the model.",
        advice: { en: expect.any(String), zh: expect.any(String) },
      },
      cost_points: "0",
      entries: [],
    });
  });

  test("is nobody else's: another organization and another project find nothing", async () => {
    const refused = call();
    await (await refusedCalls()).add(refused);
    const asked: [id: string, organization: string, project: string][] = [
      [refused.request, "org_2", ""],
      [refused.request, "org_1", "bridge"],
      [refused.request.replace("req_", "VTK-"), "org_1", ""],
    ];
    for (const each of asked) await expect(receipt(...each)).rejects.toMatchObject({ key: "not_found" });
    expect(await receipt(refused.request)).toHaveProperty("status", "refused");
  });

  test("keeps no other receipt from being shown where what keeps it does not answer", async () => {
    const pending = newId("request", noon);
    await meters.intend(intentOf({ ...hold, request: pending }));
    const down = { ledger, meters, replays, refusedCalls: () => Promise.reject(new Error("down")) };
    const own = { organization: { id: "org_1" } as Organization, key: { project: "" } as KeyRecord };
    const { body } = await retrieveReceipt(pending, own, down);
    expect(JSON.parse(String(body))).toHaveProperty("status", "pending");
  });
});
