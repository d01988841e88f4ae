/** The operator's command on the news of an organization: who gets which mails, and what became of the last ones. */
import { eachOf } from "#shared/base/platform/each-of.ts";
import { createMembers } from "#shared/edges/store/identity/members.ts";
import { createDeliveries } from "#shared/edges/store/news/deliveries.ts";
import type { Membership } from "#shared/people/identity/user.ts";
import { newsLimits } from "#shared/people/news/bounds.ts";
import { eventsTarget } from "#shared/people/news/deliver-event.ts";
import { mailGroups, mailLevel } from "#shared/people/news/mail-kinds.ts";
import { command } from "./command.ts";
import { id, sample } from "./organization-change.ts";
import { organizationOf, storesOf } from "./stores.ts";

/** What a member gets of each group, as the role allows now. The event bus has no groups. */
function levelsOf(member: Membership | undefined) {
  const levels = mailGroups.map((group) => [group, member ? mailLevel(member, group) : "-"] as const);
  return { role: member?.role ?? "-", ...Object.fromEntries(levels) };
}

/** `org news`. */
export const news = command({
  words: "org news",
  what: "shows which mails members get, and what became of the last one, and of the last event on the stage's bus",
  more: `At most ${newsLimits.membersAtOnceMax} members are shown. A delivery that is dropped had nobody who wants it, or no address.`,
  operands: [id],
  examples: { [sample]: "somebody says that no mail came" },
  async run(call) {
    const stores = await storesOf(call);
    const { id: organization } = await organizationOf(stores, call.operand);
    const { aws, tables } = stores.connection;
    const { members } = await createMembers(aws, tables).list(organization, {
      limit: newsLimits.membersAtOnceMax,
    });
    const deliveries = createDeliveries(aws, tables);
    const targets = [undefined, ...members];
    const value: object[] = [];
    await eachOf([...targets.entries()], newsLimits.atOnceMax, async ([at, member]) => {
      const target = member?.user ?? eventsTarget;
      const [last] = (await deliveries.list(organization, target, { limit: 1 })).deliveries;
      const tried = last?.last ? new Date(last.last.at).toISOString() : "-";
      value[at] = {
        ...{ target, ...levelsOf(member), last: last?.kind ?? "-", state: last?.state ?? "-" },
        ...{ attempts: last?.attempts ?? 0, tried, failure: last?.last?.failure ?? "-" },
      };
    });
    return { value };
  },
});
