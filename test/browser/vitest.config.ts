/** The tests of the console in a browser, run by run.ts. They share one gateway and take turns on it. */
import { defineConfig } from "vitest/config";

// biome-ignore lint/style/noDefaultExport: vitest reads the default export of its configuration.
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/browser/*.test.ts"],
    exclude: process.env.SCREENSHOTS ? [] : ["test/browser/screenshots.test.ts"],
    globalSetup: ["test/browser/started.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
});
