/**
 * The suites, as projects of one run (test/README.md): `unit` knows the product's modules and stores in memory or on
 * the embedded database, the others know the running gateway.
 */
import { defineConfig } from "vitest/config";
import { ClosingLine } from "./support/closing-line.ts";

/** Files that change their process for whatever runs in it: they mock a module, or replace functions of Node. */
const alone = [
  "test/faults/simulation.test.ts",
  "test/infra/local/synthesis.test.ts",
  "test/infra/local/weather.test.ts",
];

/**
 * Of tests that wait for processes, queues and the provider's pauses: five at a time keep two cores busy. They run first.
 * Where a machine is so busy that the product's own times run out, such as a judge's second, a test is played once more.
 */
const waiting = { maxWorkers: 5, sequence: { groupOrder: 0 }, retry: 1 };

// biome-ignore lint/style/noDefaultExport: vitest reads the default export of its configuration.
export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    reporters: ["default", new ClosingLine()],
    globalSetup: ["test/support/kept-assembly.ts", "test/support/database-program.ts"],
    pool: "forks",
    // One more than the cores of a small machine.
    maxWorkers: 3,
    // No test has a bound of its own: these end what hangs, on a machine ten times as busy as two cores should be.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 90_000 } },
    // A file leaves nothing behind in its process, so that one process serves many of them, and loads the CDK once.
    isolate: false,
    // A CommonJS package's default export is what Node says it is, as in the product and for the compiler.
    deps: { interopDefault: false },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          sequence: { groupOrder: 1 },
          include: ["test/{shared,functions,house,bench,cache,console,agents}/**/*.test.ts"],
        },
      },
      { extends: true, test: { name: "sdk", include: ["test/sdk/**/*.test.ts"], ...waiting } },
      {
        extends: true,
        test: {
          ...waiting,
          name: "local",
          include: ["test/{local,infra,deployed,deploy,faults}/**/*.test.ts"],
          exclude: alone,
        },
      },
      { extends: true, test: { ...waiting, name: "local alone", include: alone, isolate: true } },
    ],
  },
});
