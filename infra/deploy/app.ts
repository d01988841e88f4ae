/** What `cdk synth` and `cdk deploy` run (cdk.json). */

import { SettingError } from "../stage/setting-error.ts";
import { buildApp } from "./build-app.ts";

try {
  buildApp().app.synth();
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
