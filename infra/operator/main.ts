/** The operator's command line (README.md). */
import { run } from "./run.ts";

// Who has read enough, such as `head`, closes the pipe: that is the end, and no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await run(process.argv.slice(2), process);
