/** What a change of an organization's budgets does to the next call of a process that knows it as it was before. */
import { expect, test } from "vitest";
import { parsePoints } from "#shared/books/billing/points.ts";
import { openMembers } from "#test/support/members.ts";
import { chatBody } from "#test/support/scenario.ts";
import { openSessionGateway } from "#test/support/session-gateway.ts";
import { useStores } from "#test/support/stores.ts";

const stores = useStores();

test("it goes by the lower budget, and by none once that is taken away", async () => {
  const desk = openMembers(stores.db);
  const acme = await desk.newOrganization();
  const credit = { organization: acme.id, meter: acme.wallet?.meter ?? "", at: desk.clock.now };
  await stores.ledger.credit({ ...credit, reference: "opening", points: parsePoints("100") });
  const owner = await desk.newMember(acme, "owner");
  const gateway = openSessionGateway(desk, stores, { real: true });
  const made = await desk.ask([owner, acme], "POST /api/v1/keys", { billing_mode: "payg" });
  const give = async (points: string | null) => {
    const period = points === null ? {} : { budget_period: "total" };
    const wanted = { level: "organization", budget_points: points, ...period };
    expect((await desk.ask([owner, acme], "PATCH /api/v1/budgets", wanted)).status).toBe(200);
  };
  // The provider is not there, so an admitted call fails after its admission.
  const call = async () => {
    const infer = { method: "POST", path: "/v1/chat/completions" } as const;
    const reply = await gateway.ask(infer, { "x-api-key": made.body.key }, { ...chatBody, max_tokens: 1 });
    const { error } = reply.json() as { error: { code: string; message: string } };
    return reply.status >= 500 ? "admitted" : `${error.code} ${error.message}`;
  };
  await give("50");
  expect(await call()).toBe("admitted");
  await give("0.000000000000000001");
  expect(await call()).toMatch(/^40201 The organization's whole budget of 0\.000000000000000001 points/);
  await give(null);
  expect(await call()).toBe("admitted");
});
