/** What `cdk synth` and `cdk deploy` run (cdk.json). */
import { buildApp } from "./build-app.ts";

buildApp().app.synth();
