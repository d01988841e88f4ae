/** What rules of EventBridge invoke: a function's live version, for rules of this account alone. */
import { Names, Stack } from "aws-cdk-lib";
import type { IRule, IRuleTarget, RuleTargetConfig, RuleTargetInput } from "aws-cdk-lib/aws-events";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { GatewayFunction } from "./gateway-function.ts";

/** CDK's own target would allow the rule by its ARN alone (canaries.md "Who may invoke"). `input` is the event, if not the rule's. */
export class LiveFunction implements IRuleTarget {
  readonly #worker: GatewayFunction;
  readonly #input: RuleTargetInput | undefined;

  constructor(worker: GatewayFunction, input?: RuleTargetInput) {
    this.#worker = worker;
    this.#input = input;
  }

  bind(rule: IRule): RuleTargetConfig {
    const { live } = this.#worker;
    live.addPermission(`AllowEventRule${Names.nodeUniqueId(rule.node)}`, {
      principal: new ServicePrincipal("events.amazonaws.com"),
      sourceArn: rule.ruleArn,
      sourceAccount: Stack.of(live).account,
    });
    return { arn: live.functionArn, ...(this.#input && { input: this.#input }) };
  }
}
