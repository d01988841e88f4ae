/** The operator's commands on channels of models: `channel list`, `show`, `leave` and `return`. */
import { readKeys, readSecret } from "#shared/base/platform/secrets.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import type { ChannelLine, ChannelMinutes } from "#shared/edges/operator/channel-lines.ts";
import {
  foreseeTakingOut,
  leaveChannel,
  listChannels,
  type ModelChannelDeps,
  returnChannel,
  showChannel,
  type TakingOut,
} from "#shared/edges/operator/channels.ts";
import { createBoardReader } from "#shared/edges/store/board.ts";
import { createChannelRecords } from "#shared/edges/store/taken-out.ts";
import { actorAt } from "./actor.ts";
import {
  type CommandCall,
  type CommandGroup,
  type CommandOutcome,
  command,
  duration,
  flag,
  flagOf,
  needed,
  onOff,
  reason,
} from "./command.ts";
import type { StackConnection } from "./connection.ts";
import { catalogOf } from "./stores.ts";

/** The channels of a place: the catalog in force there, its boards, and which keys are set. */
async function channelsOf(
  call: Pick<CommandCall, "place" | "catalogFile">,
): Promise<ModelChannelDeps & { connection: StackConnection }> {
  const connection = await call.place();
  const { aws, tables, providersSecretArn } = connection;
  const [catalog, secret] = await Promise.all([
    catalogOf(call, connection),
    readSecret(aws, providersSecretArn),
  ]);
  return {
    connection,
    catalog: createCatalog(catalog),
    keys: new Set(readKeys(secret)?.keys()),
    boards: createBoardReader(aws, tables),
    records: createChannelRecords(aws, tables),
    now: Date.now,
  };
}

const id = {
  name: "ID",
  what: "the channel's id",
  missing: "give the id of the channel; channel list shows them",
};
const sample = "k3x9q0";

const list = command({
  words: "channel list",
  what: "lists the channels of models: their keys, their states, and what they did in the last minutes",
  more: "The states are those of the routing page, for a caller who has seen nothing; no_key is a channel whose key is not set. The last columns are answers, faults and refusals for a limit, and then the p50 and p95 of the first byte in milliseconds. Of a model with one channel only faults are counted, because nothing is chosen there.",
  flags: {
    model: flag("PATTERN", "only channels of these models, such as openai/*"),
    provider: flag("NAME", "only channels of this provider"),
    out: onOff("only channels that an operator has taken out"),
  },
  examples: { "--model 'openai/*'": "how the channels of these models do", "--out": "what is taken out" },
  async run(call) {
    const { model, provider, out } = call.flags;
    const lines = await listChannels({ model, provider, out }, await channelsOf(call));
    return { value: lines, shown: lines.map(rowOf) };
  },
});

/** A line as people read it. */
function rowOf({ taken_out, last_2_minutes, last_20_minutes, ...line }: ChannelLine) {
  const { id, model, provider, name, priority, weight, keys, has_keys } = line;
  return {
    ...{ id, model, provider, name, priority, weight },
    key: `${keys.join(", ") || "a role"}${has_keys ? "" : " (missing)"}`,
    state: stateText(line),
    "2 min": minutesText(last_2_minutes),
    "20 min": minutesText(last_20_minutes),
    taken_out: taken_out ? `by ${taken_out.by}, ${taken_out.at}: ${taken_out.why}` : "-",
  };
}

function stateText({ state, until }: Pick<ChannelLine, "state" | "until">): string {
  return `${state.replace("_", " ")}${until === null ? "" : ` until ${until}`}`;
}

function minutesText({ answers, faults, limited, ...times }: ChannelMinutes): string {
  const [p50, p95] = [times.first_byte_p50_ms, times.first_byte_p95_ms];
  return `${answers} ${faults} ${limited}, ${p50 ?? "-"} ${p95 ?? "-"}`;
}

const show = command({
  words: "channel show",
  what: "shows a channel: its state, its last 20 minutes, who has seen its faults, and what operators did to it",
  more: "Who has seen faults is told as numbers, one for each organization. count_for_others is what counts for an organization that has seen none.",
  operands: [id],
  examples: { [sample]: "one channel" },
  async run(call) {
    const value = await showChannel(call.operand, await channelsOf(call));
    const channels = value.channels.map(({ history, witnesses, ...line }) => ({
      ...rowOf(line),
      witnesses: { ...witnesses, of_organizations: witnesses.of_organizations.join(", ") || "none" },
      history,
    }));
    const [only] = channels;
    const { acts } = value;
    return { value, shown: channels.length === 1 ? { ...only, acts } : { channels, acts } };
  },
});

const leaveFlags = {
  why: needed(flagOf("TEXT", "why, for whoever sees it later; customers are not shown it", reason)),
  for: flagOf("TIME", "when it returns by itself, such as 30m, 12h or 7d; never if not given", duration),
  force: onOff("also if it is the last channel of a model, whose calls get the error 50002 then"),
  "dry-run": onOff("only says which calls would have gone there, and changes nothing"),
};

const leave = command({
  words: "channel leave",
  what: "takes a channel out: no call goes there, until channel return or the end of --for",
  more: "Calls that are routed already go on. Others learn of it within 2 s, and those of a model with more than 500 calls a second within 30 s, as the routing page says. Video tasks that run there are polled on. It asks first, with what share of the answers of the last 20 minutes the channel had.",
  operands: [id],
  flags: leaveFlags,
  examples: {
    [`${sample} --why 'wrong answers, ticket 4711' --for 12h`]: "comes back by itself",
    [`${sample} --why 'wrong answers' --dry-run`]: "what would go elsewhere",
  },
  async foreseen(call) {
    const { force, "dry-run": isDry } = call.flags;
    if (isDry) return undefined;
    const lines = await foreseeTakingOut(call.operand, await channelsOf(call));
    // Without --force the command refuses that, and there is nothing to ask.
    const isLast = lines.some(({ left_with }) => left_with.length === 0);
    return isLast && !force ? undefined : lines.map(foreseenText).join("\n");
  },
  run: leaveOrForesee,
});

async function leaveOrForesee(call: CommandCall<typeof leaveFlags>): Promise<CommandOutcome> {
  const { why, for: span, force, "dry-run": isDry } = call.flags;
  const deps = await channelsOf(call);
  if (isDry) {
    const value = await foreseeTakingOut(call.operand, deps);
    return { value, shown: value.map(takingOutRow) };
  }
  const by = await actorAt(deps.connection);
  const value = await leaveChannel(call.operand, { why, for_ms: span, by, force }, deps);
  return { value, shown: { ...value, models: value.models.map(takingOutRow) } };
}

function takingOutRow({ model, answers, of, left_with }: TakingOut) {
  return {
    model,
    "answers of 20 min": sharedText({ answers, of }),
    left_with: left_with.join(", ") || "none",
  };
}

function sharedText({ answers, of }: Pick<TakingOut, "answers" | "of">): string {
  return `${answers} of ${of}${of === 0 ? "" : ` (${Math.round((100 * answers) / of)} %)`}`;
}

function foreseenText({ left_with, ...line }: TakingOut): string {
  const rest = left_with.length > 0 ? `go to ${left_with.join(", ")}` : "get the error 50002";
  return `${line.model}: the channel had ${sharedText(line)} answers of the last 20 minutes. From now on such calls ${rest}.`;
}

const bringBack = command({
  words: "channel return",
  what: "brings back a channel that channel leave has taken out",
  operands: [id],
  examples: { [sample]: "calls go there again, as its state allows" },
  async run(call) {
    const deps = await channelsOf(call);
    return { value: await returnChannel(call.operand, await actorAt(deps.connection), deps) };
  },
});

export const channels: CommandGroup = { title: "Channels", commands: [list, show, leave, bringBack] };
