/** The CDK app and its one stack, as the CLI deploys it (build-app.ts) and as `npm start` reads it (local/local-app.ts). */
import { App, type AppProps } from "aws-cdk-lib";
import type { CodeSource } from "../bundles/code.ts";
import type { CalledCatalog } from "../catalog/bedrock-models.ts";
import { projectContext } from "../stage/cdk.ts";
import { stackName } from "../stage/outputs.ts";
import type { Stage } from "../stage/stage.ts";
import { GatewayStack } from "./gateway-stack.ts";

/** An app with the flags of `cdk.json`. */
export function openApp({ context, ...props }: AppProps): App {
  return new App({
    ...props,
    context: { "aws:cdk:enable-asset-metadata": true, ...projectContext(), ...context },
  });
}

/** Adds the stack of a stage. */
export function addStack(
  app: App,
  {
    stage,
    code,
    catalog,
    region,
  }: { stage: Stage; code: CodeSource; catalog: CalledCatalog; region?: string | undefined },
): GatewayStack {
  return new GatewayStack(app, stackName(stage.name), {
    stage,
    description: "Model gateway: authenticates, admits, forwards, streams, meters and settles model calls.",
    code,
    catalog,
    outdir: app.outdir,
    ...(region && { env: { region } }),
  });
}
