/** Where this project keeps what `cdk` needs, for the commands that run it and for the app. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** The folder in which `cdk` runs. */
export const projectFolder = join(import.meta.dirname, "../..");

/** The script of the `cdk` that this project has installed. */
export function cdkScript(): string {
  return join(createRequire(import.meta.url).resolve("aws-cdk/package.json"), "../bin/cdk");
}

/** The context of `cdk.json`: the flags of the CDK, and settings that a user has put there. */
export function projectContext(): Record<string, unknown> {
  const text = readFileSync(join(projectFolder, "cdk.json"), "utf8");
  return (JSON.parse(text) as { context: Record<string, unknown> }).context;
}
