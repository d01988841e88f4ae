/** Whether anybody is told of an alarm, and which ring now. */
import type { MetricAlarm } from "@aws-sdk/client-cloudwatch";
import { type Check, type CheckFinding, counted, fail, ok, warn } from "./check.ts";
import { namesOf, type StagePlace } from "./stage-place.ts";

export function alarmChecks(place: StagePlace): Check[] {
  return [
    { name: "alarm mail", run: async () => await subscribed(place) },
    { name: "alarms", run: async () => await ringing(place) },
  ];
}

const mail = "give the file of the stage an alarmEmail, deploy, and confirm the mail that AWS sends there";

async function subscribed(place: StagePlace): Promise<CheckFinding> {
  const topics = namesOf(place, "AWS::SNS::Topic");
  if (topics.length === 0) return fail("the stack has no topic of alarms", "deploy the stage again");
  const pages = await Promise.all(
    topics.map((TopicArn) => place.ask("sns:ListSubscriptionsByTopic", { TopicArn })),
  );
  const all = pages.flatMap(({ Subscriptions = [] }) => Subscriptions);
  const confirmed = all.filter(({ SubscriptionArn = "" }) => SubscriptionArn.startsWith("arn:"));
  const waiting = all.flatMap(({ SubscriptionArn = "", Endpoint = "" }) =>
    SubscriptionArn.startsWith("arn:") ? [] : [Endpoint],
  );
  if (confirmed.length > 0) return ok(`${counted(confirmed.length, "subscription")} confirmed`);
  return waiting.length > 0
    ? warn(
        `${waiting.join(", ")} has not confirmed: nobody is told of alarms`,
        "open the link in the mail of AWS Notifications",
      )
    : warn("nobody is told of alarms", mail);
}

/** An alarm on a query that groups rings for some of its lines: AWS names them as contributors. */
async function toldOf(place: StagePlace, alarm: MetricAlarm): Promise<string> {
  const { AlarmName = "", AlarmDescription = "", Metrics = [] } = alarm;
  const isJoined = Metrics.some(({ Expression = "" }) => Expression.includes(" GROUP BY "));
  const { AlarmContributors = [] } = isJoined
    ? await place.ask("cloudwatch:DescribeAlarmContributors", { AlarmName })
    : {};
  const values = AlarmContributors.flatMap(({ ContributorAttributes = {} }) =>
    Object.values(ContributorAttributes),
  );
  return `${[AlarmName, ...values].join(" ")}: ${AlarmDescription}`.trimEnd();
}

/** AWS describes at most so many at a time. */
const alarmsAtOnce = 100;

async function ringing(place: StagePlace): Promise<CheckFinding> {
  const names = namesOf(place, "AWS::CloudWatch::Alarm");
  const batches = Array.from({ length: Math.ceil(names.length / alarmsAtOnce) }, (_, at) =>
    names.slice(at * alarmsAtOnce, (at + 1) * alarmsAtOnce),
  );
  const pages = await Promise.all(
    batches.map((AlarmNames) =>
      place.ask("cloudwatch:DescribeAlarms", { AlarmNames, MaxRecords: alarmsAtOnce }),
    ),
  );
  const found = pages.flatMap(({ MetricAlarms = [] }) => MetricAlarms);
  const rings = found.filter(({ StateValue }) => StateValue === "ALARM");
  const silent = found.filter(({ ActionsEnabled }) => ActionsEnabled === false);
  if (found.length < names.length) {
    return fail(
      `${names.length - found.length} of ${counted(names.length, "alarm")} are gone`,
      "deploy the stage again",
    );
  }
  if (rings.length > 0) {
    const told = await Promise.all(rings.map(async (alarm) => await toldOf(place, alarm)));
    return fail(
      `${rings.length} of ${counted(names.length, "alarm")} ring: ${told.join("; ")}`,
      "each says where its runbook is",
    );
  }
  if (silent.length > 0) {
    return warn(
      `${counted(silent.length, "alarm")} may tell nobody`,
      "aws cloudwatch enable-alarm-actions --alarm-names NAME",
    );
  }
  return ok(`none of ${counted(names.length, "alarm")} rings`);
}
