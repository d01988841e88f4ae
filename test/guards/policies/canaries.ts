/** Rules of new versions: who is tried, what takes a version back, and who may invoke. */
import type { Row } from "#test/guards/guard.ts";

export const canaries: Row[] = [
  {
    id: "canaries-1",
    test: "deployed/canaries › of the gateway waits until those that read what it writes have moved",
    guard: "follow(gateways, resourcesOf(settle.live, videoTask.live, learner.live));",
    without: "",
  },
  {
    id: "canaries-6",
    test: "deployed/canaries › of the sweep waits for the gateway and the console, which read what it has spread",
    guard: "follow(resourcesOf(sweep.live), [...gateways, ...resourcesOf(console?.live)]);",
    without: "",
  },
  {
    id: "canaries-2",
    test: "deployed/canaries › is fed by the mapping that there was before there were aliases",
    guard: "new EventSourceMapping(worker, `SqsEventSource:",
    without: "new EventSourceMapping(worker.live, `SqsEventSource:",
  },
  {
    id: "canaries-3",
    test: "deployed/canaries › %s is watched in the version that is tried alone",
    guard: "      ExecutedVersion: currentVersion.version,\n",
    without: "",
  },
  {
    id: "canaries-4",
    test: "infra/monitoring/alarms › ring for more dead letters, however many there are already",
    guard: 'expression: "DIFF(FILL(letters, 0))",',
    without: 'expression: "FILL(letters, 0)",',
  },
  {
    id: "canaries-5",
    test: "deployed/canaries › takes a role for this account alone",
    guard: '    conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },\n',
    without: "",
  },
];
