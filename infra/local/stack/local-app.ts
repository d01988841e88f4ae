/**
 * The template for this machine: the stack that deploys, without what nothing here reads. No rule packs and no checks of
 * CloudFormation run over it. No tree and no stack traces are written. Its code is only named, and bundled beside it.
 */
import type { CfnResource } from "aws-cdk-lib";
import { Code, type CodeConfig } from "aws-cdk-lib/aws-lambda";
import type { CodeSource } from "../../bundles/code.ts";
import { addStack, openApp } from "../../stack/gateway-app.ts";
import { stageNamed } from "../../stage/stage.ts";
import { folderOf } from "./bundle-folders.ts";

/** The code of a function, which lies or will lie in a folder of the assembly. */
class LocalCode extends Code {
  readonly #name: string;

  constructor(name: string) {
    super();
    this.#name = name;
  }

  override bind(): CodeConfig {
    return { s3Location: { bucketName: "local", objectKey: this.#name } };
  }

  /** Says where it is, as the CDK does for what it stages itself. */
  override bindToResource(resource: CfnResource): void {
    resource.cfnOptions.metadata = {
      ...resource.cfnOptions.metadata,
      "aws:asset:path": folderOf(this.#name),
    };
  }
}

const localCode: CodeSource = {
  functionCode: (name) => new LocalCode(name),
  writeServer() {
    throw new Error("the stage dev has no server");
  },
};

/** What the CDK writes beside the template: where each resource was made, by which methods, and its logical id. */
const unread = {
  "aws:cdk:disable-stack-trace": true,
  "aws:cdk:disable-creation-stack-traces": true,
  "aws:cdk:disable-logicalId-metadata": true,
  "@aws-cdk/core:enableAdditionalMetadataCollection": false,
};

/** Writes the template of the stage `dev` into the assembly. */
export function synthesizeLocally(assembly: string, settings: { taskLifetimeSeconds?: number }): void {
  const app = openApp({
    outdir: assembly,
    builtinCloudFormationValidation: false,
    analyticsReporting: false,
    treeMetadata: false,
    context: unread,
  });
  // No policy is asked on this machine, and the catalog may change while it runs.
  const catalog = { providers: {}, models: [] };
  const stage = stageNamed("dev", { ...settings, console: { newsBus: true } });
  addStack(app, { stage, code: localCode, catalog });
  app.synth();
}
