/** Vitest's global setup: where the lock file has no database for this platform, npm gets it before the workers start. */
import { databaseProgram } from "#infra/local/emulators/database-program.ts";

export async function setup(): Promise<void> {
  await databaseProgram(console.log);
}
