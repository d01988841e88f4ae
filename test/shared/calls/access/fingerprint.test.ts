/** Keys of calls outlive a deployment, so the fingerprint of a body must stay what it was. */

import { expect, test } from "vitest";
import { readJsonObject } from "#shared/base/json/body.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import { type OnceDeps, type Repeatable, runOnce } from "#shared/calls/access/idempotency.ts";
import type { ReplayRecord } from "#shared/calls/access/replays.ts";
import { longTextPlaces } from "#shared/calls/chat/measure.ts";

/** The fingerprint with which a call claims its key. */
async function fingerprintOf(text: string): Promise<string | undefined> {
  const body = Buffer.from(text);
  let claimed: ReplayRecord | undefined;
  const call = {
    request: {
      id: `req_${"0".repeat(26)}`,
      headers: { "idempotency-key": "k", "content-type": "application/json" },
      query: new URLSearchParams("a=b"),
      body,
    },
    route: { path: "/v1/chat/completions" },
    parameter: "",
    principal: { key: { id: "key" } },
    body: readJsonObject(body, longTextPlaces),
  } as unknown as Repeatable;
  const deps = {
    secrets: { peppers: async () => readPeppers("pepper") },
    replays: {
      claim: async (_scope: string, record: ReplayRecord) => {
        claimed = record;
      },
    },
    now: () => 0,
  } as unknown as OnceDeps;
  const reply = { status: 200, headers: {}, body: "" };
  await runOnce(call, { admit: async () => ({ ticket: {} as never }), run: async () => reply }, deps);
  return claimed?.fingerprint;
}

test.each([
  ["small", "Hello", "0524e81e050177f1b84d534115d6264585aa2514e1e6965d196d5e7c0069992a"],
  [
    "large",
    `${"long 你好 \\n".repeat(5_000)}`,
    "56fc617772e12ed629382104438afd33f303524c872592dc83cc51b3e908ffe8",
  ],
])("of a %s body is that of its bytes", async (_, content, fingerprint) => {
  const text = `{"model":"m", "messages":[{"role":"user","content":"${content}"}]}`;
  expect(await fingerprintOf(text)).toBe(fingerprint);
});
