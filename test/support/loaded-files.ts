/** Which of its files a bundled function loads at its start. */
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";

/** Nothing is awaited after the import: what a function loads with its first call is not there yet. */
const program = `
  import { createRequire } from "node:module";
  globalThis.awslambda = { streamifyResponse: (handler) => handler };
  await import(process.argv[1]);
  console.log(JSON.stringify(Object.keys(createRequire("/").cache)));
  process.exit();
`;

/** The paths of the files beside `bundle`, and its own, that are loaded once it is imported in this environment. */
export function loadedFiles(bundle: string, environment: Record<string, string>): string[] {
  // Nothing listens there: what a function asks for at once is never answered.
  const env = { ...environment, AWS_REGION: "us-east-1", AWS_ENDPOINT_URL: "http://127.0.0.1:9" };
  const words = ["--input-type=module", "-e", program, bundle];
  const output = execFileSync(process.execPath, words, { env, encoding: "utf8" });
  const loaded = JSON.parse(output) as string[];
  return loaded.filter((file) => dirname(file) === dirname(bundle));
}
