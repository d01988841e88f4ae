/** The contacts of a user on DynamoDB, as they come and go: the record and the claims in one transaction. */
import type { Aws } from "../../../base/platform/aws.ts";
import { contactKinds, kindOf } from "../../../people/identity/contact.ts";
import type { UserContacts } from "../../../people/identity/users-port.ts";
import { contactKey, userKey } from "../dynamodb/account-keys.ts";
import { toAttribute, toItem } from "../dynamodb/attributes.ts";
import { absent, either, equals, exists } from "../dynamodb/expressions.ts";
import type { TableNames } from "../dynamodb/item-keys.ts";
import { unlessContended, update } from "../dynamodb/transaction.ts";
import { spendCode } from "./codes.ts";
import { ownClaim } from "./users.ts";

/** How long a claim that was given up is kept: no function may delete one, so it expires. */
const givenUpSeconds = 86_400;

/** The contacts of users in a table of accounts. */
export function createUserContacts(
  aws: Aws,
  { accounts: table }: Pick<TableNames, "accounts">,
): UserContacts {
  return {
    async addContact({ user, kind, added, names }, code, at) {
      const isFree = [exists("pk"), absent(kindOf[kind].members.box)];
      const outcomes = await unlessContended(aws, [
        spendCode(table, code, at),
        update({ table, key: userKey(user), set: toItem(added), when: isFree }),
        ...names.map((name) => ownClaim(table, name, user)),
      ]);
      if (!outcomes) return "done";
      if (outcomes === "contended") return "contended";
      if (outcomes.slice(2).some(({ failed }) => failed)) return "taken";
      return outcomes[1]?.failed ? "there" : "spent";
    },

    async removeContact({ user, kind, names }, at) {
      const { box, shown, version } = kindOf[kind].members;
      // Who removes both at once keeps one: each removal wants the other contact to be there.
      const others = contactKinds
        .filter((each) => each !== kind)
        .map((each) => exists(kindOf[each].members.box));
      const isAnother = others.reduce((one, other) => either(one, other));
      const expires_at = Math.ceil(at / 1000) + givenUpSeconds;
      const isTheirs = either(absent("user"), equals("user", toAttribute(user)));
      const outcomes = await unlessContended(aws, [
        update({ table, key: userKey(user), remove: [box, shown, version], when: [exists(box), isAnother] }),
        ...names.map((name) =>
          update({
            table,
            key: contactKey(name),
            set: toItem({ expires_at }),
            remove: ["user"],
            when: [isTheirs],
          }),
        ),
      ]);
      if (!outcomes) return "done";
      return outcomes !== "contended" && outcomes[0]?.failed ? "last" : "contended";
    },
  };
}
