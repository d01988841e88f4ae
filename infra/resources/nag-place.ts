/** How a finding of cdk-nag names the place of a stack, which an acknowledgement must repeat to the letter. */
import { type Stack, Token } from "aws-cdk-lib";

/** Partition, account and region: their values if the stack knows them, else the names of the pseudo parameters. */
export function placeIn({
  partition,
  account,
  region,
}: Stack): Record<"partition" | "account" | "region", string> {
  const told = (value: string, name: string) => (Token.isUnresolved(value) ? `<AWS::${name}>` : value);
  return {
    partition: told(partition, "Partition"),
    account: told(account, "AccountId"),
    region: told(region, "Region"),
  };
}
