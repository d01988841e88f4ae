/** What closes the books, and what shows that they are right. */
import assert from "node:assert/strict";
import { dayMs } from "#shared/books/billing/period.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { createUser, iam, invoke, signed } from "./account.ts";
import { named } from "./stack.ts";
import { type Deployed, type Step, until } from "./world.ts";

/** Refuses queries for sums, of the ledger's items alone. */
const noSums = JSON.stringify({
  Version: "2012-10-17",
  Statement: [
    {
      ...{ Effect: "Deny", Action: "dynamodb:Query", Resource: "*" },
      Condition: { "ForAnyValue:StringLike": { "dynamodb:LeadingKeys": ["R#*"] } },
    },
  ],
});

/** Steps after a customer's calls. */
export const books: Step<Deployed>[] = [
  [
    "the sweep and the seal run as functions",
    async (on) => {
      const sweep = named(on, "AWS::Lambda::Function", "Sweep");
      await invoke(on.emulator, on.keys, sweep, {});
      await invoke(on.emulator, on.keys, sweep, { seal: true });
    },
  ],
  [
    "the audit is clean",
    async ({ commands, stage }) => {
      await until("a clean audit", async () => {
        const { ok, pending } = await commands.operator(stage, "audit");
        assert.equal(ok, true);
        return pending === false || undefined;
      });
    },
  ],
  [
    "the export adds up to the balance",
    async ({ commands, stage, client }) => {
      const range = [-3_600_000, 3_600_000].map((ms) => new Date(Date.now() + ms).toISOString());
      const words = ["ledger", "export", "--from", range[0] ?? "", "--to", range[1] ?? ""];
      const lines = (await commands.operator(stage, ...words)) as unknown as { x_WalletPoints: string }[];
      const sum = lines.reduce((total, line) => total + parsePoints(line.x_WalletPoints), 0n);
      const { json } = await client.ask("GET", "/api/business/v1/customer/balance");
      assert.equal(formatPoints(sum), json.balance_points);
      assert.notEqual(sum, parsePoints("100"));
    },
  ],
  [
    "usage came through the queue, and no function warned of anything",
    async ({ cloud, seen }) => {
      const logs = await cloud.logsOf(seen);
      const settled = [...logs].find(([id]) => id.startsWith("SettleLogs"))?.[1] ?? [];
      assert.ok(settled.some((line) => line.startsWith("REPORT ")));
      const lines = [...logs.values()].flat();
      assert.ok(lines.some((line) => line.startsWith('{"level":"info"')));
      assert.deepEqual(
        lines.filter((line) => /^{"level":"(warn|error)"/.test(line)),
        [],
      );
    },
  ],
  [
    "nobody was refused for lack of a permission",
    async ({ emulator }) => assert.deepEqual(emulator.takeDenials(), []),
  ],
  [
    "control: a user without permissions is refused",
    async ({ emulator }) => {
      const nobody = await createUser(emulator, "nobody");
      const headers = {
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": "DynamoDB_20120810.ListTables",
      };
      const { status, text } = await signed(emulator, nobody, "dynamodb", { body: "{}", headers });
      assert.ok(status >= 400 && text.includes("AccessDenied"), text);
      assert.equal(emulator.takeDenials().length, 1);
    },
  ],
  [
    "control: without one permission the function is refused",
    async (on) => {
      const { emulator, keys, client } = on;
      const policy = { RoleName: named(on, "AWS::IAM::Role", "GatewayRole"), PolicyName: "control" };
      // A whole day: in its first hour, today has no sums to be refused.
      const [from, to] = [dayMs, 0].map((ago) => new Date(Date.now() - ago).toISOString());
      const path = `/api/business/v1/customer/usage?from=${from}&to=${to}`;
      const usage = async () => (await client.ask("GET", path)).status;
      assert.equal(await usage(), 200);
      await iam(emulator, keys, { Action: "PutRolePolicy", ...policy, PolicyDocument: noSums });
      assert.equal(await usage(), 500);
      const denials = emulator.takeDenials();
      assert.ok(denials.length > 0);
      await iam(emulator, keys, { Action: "DeleteRolePolicy", ...policy });
      assert.equal(await usage(), 200);
      // A report reads several days at once: it is refused with the first denial, and others may follow.
      for (const denial of [...denials, ...emulator.takeDenials()])
        assert.ok(denial.startsWith("dynamodb:Query ") && denial.includes(policy.RoleName), denial);
    },
  ],
];
