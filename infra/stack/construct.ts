/** The gateway as a construct, for the stack of another CDK app (construct.md). `npm run package` packs it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Stage as Assembly, CfnOutput, Names, Tags } from "aws-cdk-lib";
import { Construct } from "constructs";
import { builtCode, shippedCatalog } from "../bundles/built-code.ts";
import { bundledCatalogName } from "../bundles/bundle-files.ts";
import { compiledCatalog } from "../catalog/catalog.ts";
import type { GivableSecret } from "../resources/secrets.ts";
import type { Table } from "../resources/tables.ts";
import { type StageSettings, stageNamed, withProtection } from "../stage/stage.ts";
import { buildGateway } from "./gateway-stack.ts";

/** The settings of a stage, and what a stage has from its name. All of them may be left out. */
export interface ModelGatewayProps extends Omit<StageSettings, "catalog" | "tags"> {
  /** Names the metrics: up to 20 lower-case letters, digits and hyphens. Without it, made of the construct's path. */
  name?: string;
  /** Whether tables, queues, secrets and logs go with their stack, as in a stack for tests. False without it. */
  disposable?: boolean;
  /**
   * Whether AWS refuses to delete the tables. True without it, but for a disposable gateway. Say false for the first
   * deployment: one that fails can then take away what it has made.
   */
  protectTables?: boolean;
  /** The file of models, prices and plans. Without it, the catalog that ships with the gateway. */
  catalog?: string;
}

/** The folder of the package: what was built before it was packed stands beside this file. */
const packed = import.meta.dirname;

/** A gateway with its own tables, queues, secrets, functions and alarms. */
export class ModelGateway extends Construct {
  /** The address that clients call; undefined where `front` is `web` or `service`. */
  readonly url: string | undefined;
  /** The address of the Lambda Web Function, where there is one. */
  readonly webUrl: string | undefined;
  /** The address of the service, where there is one. */
  readonly serviceUrl: string | undefined;
  /** A JSON object of the providers' API keys, which an operator fills in. */
  readonly providers: GivableSecret;
  /** The books: entries, and their sums. */
  readonly ledger: Table;

  /** Throws when the catalog or the name is not valid. */
  constructor(scope: Construct, id: string, props: ModelGatewayProps = {}) {
    super(scope, id);
    const { name = nameOf(this), disposable = false, protectTables = true, catalog, ...settings } = props;
    const known = withProtection(
      stageNamed(disposable ? "dev" : "prod", settings),
      protectTables ? "on" : "off",
    );
    const stage = { ...known, name: stageNamed(name).name, tags: { gateway: name } };
    for (const [tag, value] of Object.entries(stage.tags)) Tags.of(this).add(tag, value);
    const outdir = join(Assembly.of(this)?.outdir ?? "cdk.out", `model-gateway-${Names.uniqueId(this)}`);
    mkdirSync(outdir, { recursive: true });
    const source = catalog ?? join(packed, shippedCatalog);
    const compiled = compiledCatalog(source);
    const bundled = join(outdir, bundledCatalogName);
    writeFileSync(bundled, compiled.text);
    const code = builtCode(packed, bundled, outdir);
    const parts = { stage, code, catalog: compiled.catalog, outdir };
    const { values, fronts, secrets, tables } = buildGateway(this, parts);
    for (const [output, value] of Object.entries(values)) new CfnOutput(this, output, { value });
    this.url = fronts.url?.address;
    this.webUrl = fronts.web?.address;
    this.serviceUrl = fronts.service?.address;
    this.providers = secrets.providers.secret;
    this.ledger = tables.ledger;
  }
}

/** A name that no other gateway of the app has. */
function nameOf(gateway: ModelGateway): string {
  const found = Names.uniqueResourceName(gateway, { maxLength: 19, separator: "-" }).toLowerCase();
  return /^[a-z]/.test(found) ? found : `g${found}`;
}
