import type { Reporter, TestModule } from "vitest/node";

/** Prints the run's counts on a plain line of its own at the end, for whoever reads the log by machine. */
export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      for (const { result } of [...module.children.allTests()].map((test) => ({ result: test.result() }))) {
        if (result.state === "passed") counts.passed += 1;
        else if (result.state === "skipped") counts.skipped += 1;
        else counts.failed += 1;
      }
      // A file that could not even be collected has no test to count.
      if (module.state() === "failed" && module.children.size === 0) counts.failed += 1;
    }
    console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
