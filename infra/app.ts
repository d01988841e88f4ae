/** What `cdk synth` and `cdk deploy` run (cdk.json). */
import { buildApp } from "./build-app.ts";
import { SettingError } from "./stage-file.ts";

try {
  buildApp().app.synth();
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
