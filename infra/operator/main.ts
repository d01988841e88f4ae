/**
 * The operator's command line: organizations, keys, money, tasks and the catalog of a gateway. `--local` works on the
 * gateway that `npm start` runs, otherwise it is a deployed stage. README.md beside this file is its manual.
 */
import { run } from "./run.ts";

// Who has read enough, such as `head`, closes the pipe: that is the end, and no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await run(process.argv.slice(2), process);
