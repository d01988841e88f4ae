import { defineConfig } from "vitest/config";
import { ClosingLine } from "./support/closing-line.ts";

// biome-ignore lint/style/noDefaultExport: vitest reads the default export of its configuration.
export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    reporters: ["default", new ClosingLine()],
    pool: "forks",
    maxWorkers: 2,
    // For two busy cores: a kill test starts several gateways.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
