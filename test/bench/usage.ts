/**
 * How long the console takes to add up a month: `node test/bench/usage.ts [calls] [keys]`. By default there are 100,000
 * calls of 100 keys and three models, spread over 30 days and the half of today. The embedded database is a process of
 * its own, so the CPU is that of the console's code and of its client.
 */
import { eventAt, openBooks } from "#test/support/books.ts";
import { type Database, startDynamoDb } from "#test/support/dynamodb.ts";
import { askConsole, countingReads, organizationOf, storeKey } from "#test/support/usage-console.ts";

const [calls = 100_000, keyCount = 100] = process.argv.slice(2).map(Number);
const [hour, day] = [3_600_000, 86_400_000];
const midnight = Date.parse("2026-11-21T00:00:00Z");
const now = midnight + 12 * hour;
const first = midnight - 30 * day;

const rounds = 5;

/** Books with a month of calls, sealed as they are every hour. */
async function fill(db: Database) {
  const books = await openBooks(db, [], first);
  const keys: string[] = [];
  for (let at = 0; at < keyCount; at++) {
    keys.push((await storeKey(db, books.organization, { created_by: `usr_${at % 20}` })).id);
  }
  const gap = (now - first) / calls;
  const events = Array.from({ length: calls }, (_, at) =>
    eventAt(books.organization, Math.floor(first + at * gap), {
      key: keys[(at * 7) % keyCount] ?? "",
      model: ["test/model-1", "test/embedding-1", "test/model-2"][at % 3] ?? "",
      user: `user-${at % 200}`,
    }),
  );
  for (let from = 0; from < events.length; from += 100) {
    const batch = events.slice(from, from + 100);
    const posted = (batch.at(-1)?.admitted_at ?? 0) + 1_000;
    await books.post(batch, posted);
    books.posted.clear();
  }
  await books.seal(midnight + 3 * hour);
  return organizationOf(books.organization, { created_at: first });
}

const { stop, ...db } = await startDynamoDb();
const filledAt = Date.now();
const organization = await fill(db);
console.log(`${calls} calls of ${keyCount} keys posted in ${((Date.now() - filledAt) / 1000).toFixed(0)} s`);

const month = `from=${new Date(first).toISOString()}&to=${new Date(now).toISOString()}`;
const week = `from=${new Date(midnight - 6 * day).toISOString()}&to=${new Date(now).toISOString()}`;
const weeks = `from=${new Date(midnight - 13 * day).toISOString()}&to=${new Date(now).toISOString()}`;
const asked: [name: string, path: string, role: "owner" | "member"][] = [
  ["by key and day, month", `series?${month}&by=key&step=day`, "owner"],
  ["the same of a member's five keys", `series?${month}&by=key&step=day`, "member"],
  ["by model and day, month", `series?${month}&by=model&step=day`, "owner"],
  ["by model and hour, week", `series?${week}&by=model&step=hour`, "owner"],
  ["by model and month, month", `series?${month}&by=model&step=month`, "owner"],
  ["by key and day as CSV, month", `export?${month}&by=key&step=day`, "owner"],
  ["by user and day, week", `series?${week}&by=user&step=day`, "owner"],
  ["by user and day, two weeks", `series?${weeks}&by=user&step=day`, "owner"],
  ["summary", "summary", "owner"],
];
for (const [name, path, role] of asked) {
  const times: number[] = [];
  const { aws, reads } = countingReads(db.aws);
  let size = 0;
  const cpu = process.cpuUsage();
  for (let round = 0; round < rounds; round++) {
    const from = performance.now();
    const asker = { organization, role, user: "usr_1", at: now };
    const answer = await askConsole({ ...db, aws }, `/api/v1/usage/${path}`, asker);
    times.push(performance.now() - from);
    size = answer.text.length;
    if (answer.status !== 200) console.log(answer.text);
  }
  const { user, system } = process.cpuUsage(cpu);
  const median = times.sort((a, b) => a - b)[rounds >> 1] ?? 0;
  const [items, requests] = [reads.items / rounds, reads.requests / rounds];
  const cost = `${((user + system) / 1000 / rounds).toFixed(0)} ms of CPU, median ${median.toFixed(0)} ms`;
  console.log(`${name.padEnd(33)} ${items} items, ${requests} requests, ${size} bytes, ${cost}`);
}
await stop();
