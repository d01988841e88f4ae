/** Who works with a command, where that is kept with what it did. */
import { byOperator } from "#shared/people/orders/deps.ts";
import type { StackConnection } from "./connection.ts";

/** Who acts: on a stage AWS says it, on a local gateway nobody else is there. */
export async function actorAt({ deployed }: Pick<StackConnection, "deployed">): Promise<string> {
  if (!deployed) return byOperator.id;
  const { regionHere } = await import("./connection.ts");
  const { openAccount } = await import("./account/clients.ts");
  const { region, credentials } = await regionHere();
  const { Arn } = await openAccount({ region, credentials })("sts:GetCallerIdentity", {});
  return Arn ?? byOperator.id;
}
