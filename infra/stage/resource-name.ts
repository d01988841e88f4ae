/** Names of the resources that must be given one. */
import { Names, Stack } from "aws-cdk-lib";
import type { Construct, IConstruct } from "constructs";

/**
 * The name of a gateway's only resource of a kind: that of its stack. A gateway in a stack with other things, maybe with
 * a second gateway, has a name made of its path (construct.md). `part` stands in the gateway's scope.
 */
export function resourceName(part: Construct): string {
  const gateway: IConstruct | undefined = part.node.scope;
  if (gateway === undefined || Stack.isStack(gateway)) return Stack.of(part).stackName;
  return Names.uniqueResourceName(gateway, { maxLength: 100, separator: "-" });
}
