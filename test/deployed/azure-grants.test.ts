/** What a stage may state to Microsoft: its role, and only where its catalog calls Azure. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { sample, set } from "#test/support/catalog.ts";
import { resourcesOf, text } from "#test/support/template.ts";

const scratch = mkdtempSync(join(tmpdir(), "azure-grants-"));
afterAll(() => rmSync(scratch, { recursive: true }));

/** The statements on AWS's token service, with the roles that have them. */
function granted(name: string, catalog: unknown) {
  const catalogFile = join(scratch, `${name}.json`);
  writeFileSync(catalogFile, JSON.stringify(catalog));
  const resources = resourcesOf({ stage: "prod", catalogFile, settings: {}, outdir: `${catalogFile}.out` });
  return resources.flatMap(([, { Type, Properties }]) => {
    if (!/^AWS::IAM::(?:Managed)?Policy$/.test(Type)) return [];
    const roles = Properties.Roles.map(text);
    return Properties.PolicyDocument.Statement.filter(({ Action }: { Action: unknown }) =>
      JSON.stringify(Action).includes("sts:"),
    ).map((statement: object) => ({ roles, statement }));
  });
}

const azure = {
  protocols: { openai: "https://acme.openai.azure.com/openai/v1" },
  auth: "azure",
  secret: "A_KEY",
};
const calling = set(set(sample(), "providers.azure", azure), "models.0.channels.0.provider", "azure");

test("the gateway may state its role to Microsoft for five minutes, and nobody else may", () => {
  const [only, ...others] = granted("azure", parseCatalog(calling));
  expect(others).toEqual([]);
  expect(only?.roles).toEqual([expect.stringContaining("GatewayRole")]);
  expect(only?.statement).toEqual({
    Effect: "Allow",
    Action: "sts:GetWebIdentityToken",
    Resource: "*",
    Condition: {
      "ForAllValues:StringEquals": { "sts:IdentityTokenAudience": ["api://AzureADTokenExchange"] },
      Null: { "sts:IdentityTokenAudience": "false" },
      NumericLessThanEquals: { "sts:DurationSeconds": "300" },
    },
  });
});

test("a stage whose models are elsewhere may not", () => {
  expect(granted("none", parseCatalog(set(sample(), "providers.azure", azure)))).toEqual([]);
});
