/** The queues of a stage: whether what they hold is worked on, and what failed for good. */
import { type Check, type CheckFinding, counted, fail, ok, warn } from "./check.ts";
import { namesOf, outputOf, type StagePlace } from "./stage-place.ts";

interface Queue {
  name: string;
  queue: "usageQueue" | "lessonQueue";
  deadLetters: "usageDeadLetters" | "lessonDeadLetters";
  /** From what age of its oldest message on somebody must look. */
  oldSeconds: number;
  /** What a dead letter means, and what brings it back. */
  lost: (seen: string) => CheckFinding;
}

const queues: readonly Queue[] = [
  {
    name: "usage queue",
    queue: "usageQueue",
    deadLetters: "usageDeadLetters",
    oldSeconds: 300,
    lost: (seen) =>
      fail(`${seen}: usage that is not booked`, "find the cause in the log of settle, then operator redrive"),
  },
  {
    name: "lesson queue",
    queue: "lessonQueue",
    deadLetters: "lessonDeadLetters",
    oldSeconds: 3_600,
    lost: (seen) =>
      warn(
        `${seen}: lessons of the cache`,
        "find the cause in the log of the learner, then operator redrive --lessons",
      ),
  },
];

export function queueChecks(place: StagePlace): Check[] {
  return [...queues.map((queue) => queueCheck(queue, place)), mappingsCheck(place)];
}

function queueCheck({ name, queue, deadLetters, oldSeconds, lost }: Queue, place: StagePlace): Check {
  return {
    name,
    async run() {
      const [waiting, dead, age] = await Promise.all([
        depthOf(place, outputOf(place, queue)),
        depthOf(place, outputOf(place, deadLetters)),
        ageOf(place, outputOf(place, queue)),
      ]);
      if (dead > 0) return lost(counted(dead, "dead letter"));
      const old = age === undefined ? "" : `, the oldest of the last minutes was ${age} s old`;
      const seen = `${counted(waiting, "message")}${old}, no dead letters`;
      return (age ?? 0) > oldSeconds
        ? warn(seen, "the ledger lags: free concurrency, or look at the log of the function behind the queue")
        : ok(seen);
    },
  };
}

async function depthOf({ ask }: StagePlace, QueueUrl: string | undefined): Promise<number> {
  if (!QueueUrl) throw new Error("the stack names no such queue");
  const AttributeNames = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"] as const;
  const { Attributes } = await ask("sqs:GetQueueAttributes", {
    QueueUrl,
    AttributeNames: [...AttributeNames],
  });
  return AttributeNames.reduce((sum, name) => sum + Number(Attributes?.[name] ?? 0), 0);
}

const ageMinutes = 10;

/** The greatest age of the last minutes, seconds. CloudWatch has none of a queue that nobody has used. */
async function ageOf({ ask, now }: StagePlace, url = ""): Promise<number | undefined> {
  const { Datapoints = [] } = await ask("cloudwatch:GetMetricStatistics", {
    Namespace: "AWS/SQS",
    MetricName: "ApproximateAgeOfOldestMessage",
    Dimensions: [{ Name: "QueueName", Value: url.split("/").at(-1) ?? "" }],
    StartTime: new Date(now() - ageMinutes * 60_000),
    EndTime: new Date(now()),
    Period: 60,
    Statistics: ["Maximum"],
  });
  const ages = Datapoints.flatMap(({ Maximum }) => (Maximum === undefined ? [] : [Maximum]));
  return ages.length === 0 ? undefined : Math.max(...ages);
}

/** Whether Lambda takes messages from the queues. */
function mappingsCheck(place: StagePlace): Check {
  return {
    name: "queue mappings",
    async run() {
      const ids = namesOf(place, "AWS::Lambda::EventSourceMapping");
      const states = await Promise.all(
        ids.map(
          async (UUID) => (await place.ask("lambda:GetEventSourceMapping", { UUID })).State ?? "unknown",
        ),
      );
      const off = ids.flatMap((id, at) => (states[at] === "Enabled" ? [] : [`${id} is ${states[at]}`]));
      if (off.length === 0) return ok(`${counted(ids.length, "queue")} feed their functions`);
      return fail(
        off.join("; "),
        "enable it with aws lambda update-event-source-mapping --enabled --uuid ID",
      );
    },
  };
}
