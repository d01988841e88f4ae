/**
 * `npm run test:browser [-- FILE…]` and `npm run screenshots`: the console in a real browser, against `npm start`
 * (README.md). Without a browser the tests are skipped and say so; where `CI` is `true` that fails.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { findChromium } from "./chromium.ts";

const root = join(import.meta.dirname, "../..");
const [what, ...files] = process.argv.slice(2);
const isPictures = what === "screenshots";

try {
  const found = await findChromium(console.log);
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const only = isPictures ? ["screenshots"] : [what, ...files].filter((each) => each !== undefined);
  const child = spawn(
    process.execPath,
    [vitest, "run", "--config", "test/browser/vitest.config.ts", ...only],
    {
      cwd: root,
      stdio: "inherit",
      env: {
        ...process.env,
        BROWSER_FOUND: JSON.stringify(found),
        ...(isPictures && { SCREENSHOTS: join(root, ".local/screenshots") }),
      },
    },
  );
  const [code] = (await once(child, "exit")) as [number | null];
  process.exitCode = code ?? 1;
} catch (error) {
  const why = error instanceof Error ? error.message : String(error);
  const isCi = process.env.CI === "true" || process.env.CI === "1";
  console.error(`\nNO BROWSER: the console was not tested in one. ${why}`);
  console.error("Set CHROMIUM to the path of a Chromium, or let npm install one.");
  process.exitCode = isCi ? 1 : 0;
}
