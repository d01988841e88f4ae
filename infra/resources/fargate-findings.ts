/** What the rule packs want of a service, and why it is not so. */
import { Validations } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

const reasons = {
  "AwsSolutions-VPC7": "Nothing but the balancer reaches a task, and the gateway logs every call itself.",
  "AwsSolutions-EC23": "Clients are everywhere; they have API keys, and the gateway checks those itself.",
  "AwsSolutions-ELB2": "The gateway logs every call; the balancer's log would have the same in a bucket.",
  "AwsSolutions-ECS2":
    "The environment has names and no secret; the process reads secrets by their ARNs, as the function does.",
  "AwsSolutions-ECS4":
    "The service is watched by its log lines and by the balancer's metrics, which are free.",
};

/** Acknowledges these findings on the construct that holds the service and its network. */
export function acknowledgeService(service: IConstruct): void {
  for (const [id, reason] of Object.entries(reasons)) Validations.of(service).acknowledge({ id, reason });
}
