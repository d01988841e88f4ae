/**
 * The gateway as a process that listens where its environment says (front/place.ts). On SIGTERM or SIGINT it drains and
 * settles its calls. It exits with 1 if one was not settled, which the sweep does then.
 */
import { containerCredentials } from "#shared/base/platform/container-credentials.ts";
import { createLog, describeError, joinLines } from "#shared/base/platform/log.ts";
import { openGateway } from "./front/gateway.ts";
import { placeOf } from "./front/place.ts";

const log = createLog(joinLines((lines) => process.stdout.write(lines)));

/** Serves until a signal ends it. */
async function run(): Promise<void> {
  const { graceMs, ...place } = placeOf(process.env);
  const credentials = containerCredentials(process.env, { now: Date.now, fetch });
  // Nothing should throw outside of a call. If something does, the calls of this process go on.
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, (error) => log("error", "internal", { error: describeError(error) }));
  }
  const front = await openGateway(place, { env: process.env, log, credentials });
  for (const signal of ["SIGTERM", "SIGINT"]) {
    // It listens for every signal: a second one, while calls end, would otherwise end the process at once.
    process.on(signal, async () => {
      log("info", "draining");
      process.exit((await front.close(graceMs)) ? 0 : 1);
    });
  }
  log("info", "listening", { port: front.port });
}

// A failed start ends the process. No `await` stands at the top level, because a runtime may load this file by
// `require`.
run().catch((error: unknown) => {
  log("error", "not_started", { error: describeError(error) });
  process.exit(1);
});
