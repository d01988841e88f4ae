/** What finance asks the operator's commands, run as an operator runs them on a stand-in of DynamoDB: forms and exit codes. */
import { beforeAll, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { tables } from "#test/support/dynamodb.ts";
import { company, email, openInvoices } from "#test/support/invoices.ts";
import { useOperatedSecrets } from "#test/support/operated-secrets.ts";

const operated = useOperatedSecrets();
let acme: Organization;
let orders: Order[];
let invoice: string;
beforeAll(async () => {
  const books = openInvoices({ aws: operated.aws, tables });
  const [ann, organization] = await books.newOwner();
  acme = organization;
  orders = [await books.creditedOrder(acme), await books.creditedOrder(acme, { amount: 2_500 })];
  const body = { orders: [orders[0]?.id], title: company, email };
  invoice = (await books.ask([ann, acme], "POST /api/v1/invoices", body)).body.id;
});

const day = "--from 2026-11-21 --to 2026-11-22";

test("lists are columns, JSON or CSV, and CSV has every column and ends each line in CRLF", async () => {
  const [first, second] = orders;
  const { out } = await operated.look(`order list --org ${acme.id}`);
  expect(out).toContain(
    `  ${second?.id}  ${acme.id}  recharge  alipay   credited  25.00   CNY       2026-11-21T`,
  );
  const { value } = await operated.operate(`order list ${day} --state credited`);
  expect(value).toMatchObject({
    orders: [{ id: second?.id, paid: "25.00" }, { id: first?.id }],
    more: false,
  });
  const csv = (await operated.look(`order list --limit 1 --format csv`)).out.split("\r\n");
  expect(csv).toEqual([
    "id,organization,kind,channel,state,amount,currency,paid,refunded,returned,points,booked_as,transaction,created_at,paid_at,credited_at",
    expect.stringMatching(
      new RegExp(`^${second?.id},${acme.id},recharge,alipay,credited,25.00,CNY,25.00,0.00,0.00,25,`),
    ),
    "",
  ]);
  const json = (await operated.look("invoice list --format json")).out;
  expect(JSON.parse(json)).toMatchObject({ invoices: [{ id: invoice, title: company.name }], more: false });
  const invoices = (await operated.look("invoice list --state requested --format csv")).out.split("\r\n");
  expect(invoices[1]).toMatch(
    new RegExp(`^${invoice},${acme.id},requested,,100.00,CNY,,,,,${company.name},`),
  );
});

test("totals end with 0 where orders and ledger agree, and with 1 and the difference where they do not", async () => {
  expect(await operated.operate(`order totals ${day}`)).toMatchObject({
    code: 0,
    value: {
      totals: [{ channel: "alipay", currency: "CNY", paid: "125.00", difference: "0" }],
      agrees: true,
    },
  });
  const stray = { organization: acme.id, meter: acme.wallet?.meter ?? "", account: "cash:alipay" };
  const at = Date.parse("2026-11-21T20:00:00Z");
  await createLedger(operated.aws, tables).credit({ ...stray, points: 10n ** 18n, reference: "stray", at });
  const { code, out } = await operated.look(`order totals ${day} --format csv`);
  expect([code, out.split("\r\n")]).toEqual([
    1,
    [
      "day,channel,currency,orders,paid,refunds,paid_back,returned,points,ledger_points,difference",
      "2026-11-21,alipay,CNY,2,125.00,0,0.00,0.00,125,125,0",
      "2026-11-21,alipay,,0,,0,,,0,1,1",
      "",
    ],
  ]);
});

test.each([
  ["order list --org org_1", "there is no organization org_1"],
  ["invoice list --org org_1", "there is no organization org_1"],
  ["order list --from 2026-11-31", "--from takes a day such as 2026-11-21, or an instant"],
  ["order list --from 2026-11-22 --to 2026-11-21", "--from is after --to"],
  ["order totals --from 2026-11-22", "--to is needed"],
  [`order show ${newId("order", 1)}`, "The recharge order does not exist."],
  [`invoice show ${newId("invoice", 1)}`, "The invoice does not exist."],
  ["invoice issue ivc_1 --file F", "The invoice does not exist."],
  ["invoice issue ivc_1", "--file is needed"],
  ["invoice reject ivc_1", "--reason is needed"],
  ["invoice void", "give the id of the invoice; invoice list shows it"],
])("%s is refused with 2", async (line, told) => {
  expect(await operated.look(line)).toEqual({ code: 2, out: "", error: `${told}\n` });
});

test("issuing asks a person at a terminal first, and a no changes nothing", async () => {
  const terminal = { stdin: true, stderr: true };
  const no = await operated.look(`invoice issue ${invoice} --file F-1`, terminal, "n\n");
  expect([no.code, no.out]).toEqual([2, ""]);
  expect(no.error).toContain(`${invoice} is issued with the document F-1`);
  expect((await operated.operate(`invoice show ${invoice}`)).value).toMatchObject({ state: "requested" });
  const yes = await operated.look(`invoice issue ${invoice} --file F-1`, terminal, "y\n");
  expect([yes.code, yes.out]).toEqual([0, expect.stringContaining("number: INV-")]);
  const voided = await operated.operate(`invoice void ${invoice} --reason wrong`);
  expect(voided).toMatchObject({ code: 0, value: { state: "voided", reason: "wrong" } });
});
