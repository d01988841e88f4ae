/** The event bus on which operators are told the news of all organizations (news-bus.md). */
import { EventBus } from "aws-cdk-lib/aws-events";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import { variables } from "#shared/base/platform/env.ts";
import type { Grantee } from "./grants.ts";

/** Creates the bus, lets `teller` alone put events on it, and gives its name. */
export function createNewsBus(scope: Construct, stage: string, teller: Grantee): string {
  const bus = new EventBus(scope, "NewsBus", {
    eventBusName: `${stage}-news`,
    description: "What happens in the organizations of the model gateway.",
  });
  teller.addEnvironment(variables.newsBus, bus.eventBusArn);
  teller.addToRolePolicy(
    new PolicyStatement({ actions: ["events:PutEvents"], resources: [bus.eventBusArn] }),
  );
  return bus.eventBusName;
}
