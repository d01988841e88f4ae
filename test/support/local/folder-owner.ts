/** Opens the folder it is given, says so, and stays until it is killed. */
import { openPersistence } from "#infra/local/start/persistence.ts";

await openPersistence(process.argv[2] ?? "");
console.log("opened");
setInterval(() => {}, 60_000);
