/** What must be true of video tasks, of each write on them and once all is at rest (design §4 "Video task"). */
import { parsePoints } from "#shared/books/billing/points.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { isFinal, type Task } from "#shared/calls/tasks/task.ts";
import { fromItem, type Item } from "#shared/edges/store/dynamodb/attributes.ts";
import { madeVideo } from "#test/support/video-provider.ts";
import { secondPrice } from "./catalog.ts";
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
export function taskOf(item: Item | undefined): Task | undefined {
  return item?.status ? (fromItem(item) as unknown as Task) : undefined;
}

/** What holds of one video in the end; `held` says whether a meter still holds for it. */
export function taskGaps(
  video: Video,
  task: Task | undefined,
  event: UsageEvent | undefined,
  held: boolean,
): string[] {
  const { id, state, made, created, cancelled } = video;
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
  const due = task.hold.mode === "payg" ? cost : 0n;
  return [
    ...(isFinal(status) ? [] : [`${id} never ended: ${status}`]),
    ...(created === false ? [`${id} was refused, and lives`] : []),
    ...(made > 1 ? [`${id} was made ${made} times`] : []),
    ...(cancelled && status !== "cancelled" ? [`${id} was called cancelled, and is ${status}`] : []),
    ...(goesOn ? [`${id} is cancelled, and ${state}`] : []),
    ...(settled === awaited ? [`${id} is ${status}, settled ${settled}`] : []),
    ...(held === settled ? [`I8 ${id} is settled ${settled}, held ${held}`] : []),
    ...(settled === (event === undefined) ? [`I3 ${id} is settled ${settled}, its entry another`] : []),
    ...(event && parsePoints(event.cost_points) !== due ? [`I7 ${id} costs ${event.cost_points}`] : []),
  ];
}
