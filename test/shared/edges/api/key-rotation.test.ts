/** A rotation that happened although its process was told that it did not. */
import { expect, test } from "vitest";
import { newApiKey } from "#shared/base/platform/api-key.ts";
import { type Aws, AwsError } from "#shared/base/platform/aws.ts";
import { peppersOf } from "#shared/base/platform/pepper.ts";
import { rotationOf } from "#shared/edges/api/key-rotation.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { noon } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { keyOf, newWallet } from "#test/support/wallets.ts";

const { db, accounts } = useStores();

test("the old secret stays in force where the rotation happened and its process was told of a conflict", async () => {
  const organization = await newWallet(db, "1");
  const key = keyOf(organization);
  await accounts.createKey(key);
  let told = 0;
  const conflicted: Aws = async (service, action, input) => {
    const answer = await db.aws(service, action, input);
    const reasons = { CancellationReasons: [{ Code: "TransactionConflict" }] };
    if (action === "TransactWriteItems" && told++ === 0)
      throw new AwsError("TransactionCanceledException", 400, reasons);
    return answer;
  };
  const peppers = peppersOf({ version: 1, value: "pepper" });
  const { change, of } = rotationOf(newApiKey("payg"), { overlap: 3600 }, peppers, () => noon);
  const rotating = createAccounts(conflicted, db.tables);
  const changed = await rotating.changeKey(organization.id, key.id, { ...change, of, at: noon });
  expect(changed?.after.old).toEqual({ hash: key.hash, until: noon + 3_600_000 });
  const found = await Promise.all(
    [key.hash, changed?.after.hash ?? ""].map(async (hash) => await accounts.findPrincipal(hash)),
  );
  expect(found.map((principal) => principal?.key.id)).toEqual([key.id, key.id]);
});
