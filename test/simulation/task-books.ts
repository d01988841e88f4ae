/** What must be true of video tasks, of each write on them and once all is at rest (design §4 "Video task"). */
import { parsePoints } from "#shared/books/billing/points.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { isFinal, type Task } from "#shared/calls/tasks/task.ts";
import { accountPrefixes } from "#shared/edges/store/dynamodb/account-keys.ts";
import { fromItem, type Item, readText } from "#shared/edges/store/dynamodb/attributes.ts";
import { unmarked } from "#shared/edges/store/dynamodb/due.ts";
import { readHash } from "#shared/edges/store/dynamodb/item-hash.ts";
import { readRecord } from "#shared/edges/store/dynamodb/item-keys.ts";
import type { AuditEntry } from "#shared/people/identity/audit.ts";
import type { MemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { madeVideo } from "#test/support/video-provider.ts";
import { secondPrice } from "./catalog.ts";
import { divisorOf } from "./simulated-fee.ts";
import type { Video } from "./videos.ts";

/** One end: a task that has one keeps it, and is settled once. */
export function taskWriteGaps(before: Item | undefined, after: Item | undefined): string[] {
  const [was, is] = [taskOf(before), taskOf(after)];
  if (!was) return [];
  if (!is) return [`${was.id} is gone`];
  const ends = isFinal(was.status) && was.status !== is.status;
  return [
    ...(ends ? [`${is.id} was ${was.status}, and is ${is.status}`] : []),
    ...(was.settled && !is.settled ? [`${is.id} is unsettled again`] : []),
  ];
}

/** A task's item; undefined for parts of its request, and for what bars one. */
function taskOf(item: Item | undefined): Task | undefined {
  return item?.status ? (fromItem(item) as unknown as Task) : undefined;
}

/** What holds of all videos in the end. `held`: the tasks that a meter still holds for. */
export function videoGaps(
  videos: Iterable<Video>,
  db: Pick<MemoryDynamoDb, "items">,
  { held, eventOf }: { held: ReadonlySet<string>; eventOf: (id: string) => UsageEvent | undefined },
): string[] {
  const tasks = new Map([...db.items("tasks")].map((item) => [readText(item.id), taskOf(item)]));
  const lines = videoLines(db.items("accounts"));
  return [...videos].flatMap((video) => {
    const { id } = video;
    return taskGaps(video, tasks.get(id), eventOf(id), { held: held.has(id), told: lines.get(id) ?? [] });
  });
}

/** The lines of the log about videos, by their task. */
function videoLines(accounts: Iterable<Item>): Map<string, AuditEntry[]> {
  const log = [...accounts].filter(({ pk }) => readText(pk).startsWith(accountPrefixes.audit));
  const lines = log.map((item) => readRecord<AuditEntry>(unmarked(readHash(item).item)));
  const ended = lines.filter(({ kind }) => kind === "video_ended");
  return Map.groupBy(ended, ({ subject }) => subject);
}

/** What holds of one video in the end. `held`: whether a meter still holds for it. `told`: the log's lines of it. */
function taskGaps(
  video: Video,
  task: Task | undefined,
  event: UsageEvent | undefined,
  { held, told }: { held: boolean; told: readonly AuditEntry[] },
): string[] {
  const { id, key, state, made, created, cancelled, keysUsed } = video;
  if (!task) {
    return [
      ...(created ? [`the client knows ${id}, and we do not`] : []),
      ...(held ? [`I8 ${id} is not kept, and holds`] : []),
      ...(made > 0 ? [`${id} is not kept, and was made`] : []),
    ];
  }
  const { status, settled, submission } = task;
  const awaited = status === "expired" && submission !== "unsubmitted";
  const goesOn = status === "cancelled" && (state === "queued" || state === "running" || state === "succeed");
  const cost = status === "succeed" ? secondPrice * BigInt(madeVideo.seconds ?? 0) : 0n;
  const due = task.hold.mode === "payg" ? cost / divisorOf(key.organization) : 0n;
  const own = key.organization.provider_keys?.find(({ provider }) => provider === "ark");
  const strange = [...keysUsed].filter((used) => used !== (own?.sealed ?? "ours"));
  return [
    ...(isFinal(status) ? [] : [`${id} never ended: ${status}`]),
    ...(created === false ? [`${id} was refused, and lives`] : []),
    ...(made > 1 ? [`${id} was made ${made} times`] : []),
    ...(cancelled && status !== "cancelled" ? [`${id} was called cancelled, and is ${status}`] : []),
    ...(goesOn ? [`${id} is cancelled, and ${state}`] : []),
    ...(settled === awaited ? [`${id} is ${status}, settled ${settled}`] : []),
    ...(held === settled ? [`I8 ${id} is settled ${settled}, held ${held}`] : []),
    ...(settled === (event === undefined) ? [`I3 ${id} is settled ${settled}, its entry another`] : []),
    // Who cancels a task knows it by the answer.
    ...(told.length === 1 || (told.length === 0 && status === "cancelled")
      ? []
      : [`${id} is told ${told.length} times`]),
    ...told.flatMap(({ after }) =>
      after?.state === status ? [] : [`${id} is ${status}, and told ${after?.state}`],
    ),
    ...strange.map((used) => `${id} was made with the key ${used}`),
    ...(event && parsePoints(event.cost_points) !== due ? [`I7 ${id} costs ${event.cost_points}`] : []),
  ];
}
