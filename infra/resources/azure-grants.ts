/** What a process may ask AWS's token service for, where its catalog calls Azure (infra/clouds/azure.md). */
import { Validations } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { CalledCatalog } from "../catalog/bedrock-models.ts";
import type { Grantee } from "./grants.ts";

/** Grants a statement of the process's role to Microsoft, and to nobody else. Nothing without a provider of Azure. */
export function useAzure(
  grantee: Grantee,
  { providers, models }: CalledCatalog,
  wanted: (id: string) => boolean = () => true,
): void {
  const called = models.filter(({ id }) => wanted(id)).flatMap(({ channels }) => channels);
  if (!called.some(({ provider }) => providers[provider]?.auth === "azure")) return;
  grantee.addToRolePolicy(
    new PolicyStatement({
      actions: ["sts:GetWebIdentityToken"],
      resources: ["*"],
      conditions: {
        // `ForAllValues` is also true for a request without an audience, so `Null` refuses such a request.
        "ForAllValues:StringEquals": { "sts:IdentityTokenAudience": ["api://AzureADTokenExchange"] },
        Null: { "sts:IdentityTokenAudience": "false" },
        NumericLessThanEquals: { "sts:DurationSeconds": "300" },
      },
    }),
  );
  Validations.of(grantee.role ?? grantee).acknowledge({
    id: "AwsSolutions-IAM5[Resource::*]",
    reason: "AWS knows no resource of such a statement. A condition bounds to whom it is made.",
  });
}
