/** The operator's command that tells everything of one call. */

import { timeOf } from "#shared/base/platform/id.ts";
import { requestOf } from "#shared/calls/telemetry/ids.ts";
import { trace } from "#shared/edges/operator/trace.ts";
import { createReplays } from "#shared/edges/store/replays.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { createQueueView } from "#shared/edges/store/usage-queue.ts";
import { type CommandGroup, command, flag } from "./command.ts";
import { counted } from "./progress.ts";
import { storesOf } from "./stores.ts";

const traceCall = command({
  words: "trace",
  what: "tells everything that is known of one call or task, in order of time",
  more: "Attempts and their milliseconds come from log lines, which are kept for a time: a stage keeps them for 90 days. Of a call that was refused before it was held, they are all there is: who asked for which model, and the error.",
  operands: [
    {
      name: "ID",
      what: "a request, req_…, as in its x-request-id header, a task, VTK-…, or the id of a trace that the gateway began",
      missing: "give the id of the call: req_… from its x-request-id header, or VTK-…",
    },
  ],
  flags: {
    org: flag("ID", "its organization: quicker for a call that is older than its intent and its log lines"),
  },
  examples: {
    req_01M81Z6B499M4DYJWQBG2R067H: "one call",
    "VTK-01M81Z5H6R6E3CQBCFXFYS02HZ --json": "one task, with all figures of each step",
  },
  async run(call) {
    const { connection, accounts, ledger, meters } = await storesOf(call);
    const { aws, tables, usageQueueUrl, deadLetterQueueUrl } = connection;
    const organizations = () => counted(accounts.organizations(), "organizations", call.progress);
    const deps = {
      accounts: { organizations },
      ledger,
      meters,
      replays: createReplays(aws, tables),
      tasks: createTasks(aws, tables),
      queue: createQueueView(aws, { usage: usageQueueUrl, deadLetters: deadLetterQueueUrl }),
      log: connection.log,
    };
    const steps = await trace(idAsked(call.operand), call.flags.org, deps);
    const shown = steps.map(({ at, step, detail }) => ({ time: at, step, detail }));
    return { value: steps, shown };
  },
});

/** OpenTelemetry's id of a trace. */
const traceIdForm = /^[\da-f]{32}$/;
/** Calls came after this day, 2025-01-01, and come no later than tomorrow. */
const firstCalls = 1_735_689_600_000;
const dayMs = 86_400_000;

/** The request that began a trace, or the id as it is. Throws for a trace that a client has begun. */
function idAsked(id: string): string {
  if (!traceIdForm.test(id)) return id;
  const request = requestOf(id);
  const at = timeOf(request);
  if (at > firstCalls && at < Date.now() + dayMs) return request;
  throw new Error(
    `the trace ${id} was begun by a client, and its id names no call. Look for it in the log: the line of each of its calls has it as trace`,
  );
}

export const traces: CommandGroup = { title: "One call", commands: [traceCall] };
