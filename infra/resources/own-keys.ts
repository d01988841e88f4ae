/** The key of KMS that seals organizations' own provider keys (shared/calls/upstreams/own-keys.md "Sealed"). */
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { variables } from "#shared/base/platform/env.ts";
import type { Stage } from "../stage/stage.ts";
import type { Grantee } from "./grants.ts";

/** What functions and policies know of the key. */
export type SealingKey = Pick<Key, "keyArn">;

/** The key, which AWS rotates once a year. Undefined in a stage without a console, where nobody can give such a key. */
export function createSealingKey(scope: Construct, stage: Stage): SealingKey | undefined {
  if (!stage.console.enabled) return undefined;
  return new Key(scope, "OwnKeys", {
    description: "Seals the provider keys that organizations bring. Without it none of them opens again.",
    enableKeyRotation: true,
    removalPolicy: stage.removalPolicy,
  });
}

/** Lets the console seal keys, and not open them again. */
export function letSeal(grantee: Grantee, { keyArn }: SealingKey): void {
  grantee.addEnvironment(variables.ownKeysKey, keyArn);
  grantee.addToRolePolicy(new PolicyStatement({ actions: ["kms:GenerateDataKey"], resources: [keyArn] }));
}

/** Lets a front, or the worker of video tasks, open keys, and not seal any. What is sealed names the key. */
export function letOpen(grantee: Grantee, { keyArn }: SealingKey): void {
  grantee.addToRolePolicy(new PolicyStatement({ actions: ["kms:Decrypt"], resources: [keyArn] }));
}
