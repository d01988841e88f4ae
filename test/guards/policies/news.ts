/** Webhooks: what would have to be gone for news to be lost, told twice, or sent where nobody may. */
import type { Row } from "#test/guards/guard.ts";

export const news: Row[] = [
  {
    id: "news-1",
    test: "shared/people/news/send › a name that leads to this machine is refused after DNS, and nothing arrives there",
    guard: "...(!isOpen && { lookup: publicLookup(deps.resolve) }),",
    without: "",
  },
  {
    id: "news-2",
    test: "shared/people/news/send › a name that leads to this machine is refused after DNS, and nothing arrives there",
    guard: "if (!isOpen) checkHost(url);",
    without: "",
  },
  {
    id: "news-3",
    test: "shared/base/platform/public-address › one closed address among several refuses all",
    guard: "else if (!first || !found.every(({ address }) => isPublicAddress(address)))",
    without: "else if (!first || !isPublicAddress(first.address))",
  },
  {
    id: "news-4",
    test: "shared/people/news/send › a receiver that answers without end is left after its status",
    guard: 'reply.body.destroy(new Error("nobody reads it"));',
    without: "while ((await reply.body.next()) !== undefined);",
  },
  {
    id: "news-5",
    test: "shared/edges/jobs/tell-news › runs of one moment tell each line once, also where each of them finds it due",
    in: "store/news/deliveries.ts",
    guard: 'when: [equals("due_at", { S: dueText(due_at) })],',
    without: "",
  },
  {
    id: "news-6",
    test: "shared/edges/jobs/tell-news › a line that comes late into the log is told, and so is one that was written while no run was",
    guard: "Math.min(...enabled.map(({ since }) => since))) - newsLimits.lineLateMs;",
    without: "Math.min(...enabled.map(({ since }) => since)));",
  },
  {
    id: "news-7",
    test: "shared/edges/jobs/tell-news › each line is told once to each webhook that wants its kind, and lines from before it are not",
    guard: "if (!isEnabled(webhook) || at < webhook.since) return false;",
    without: "if (!isEnabled(webhook)) return false;",
  },
  {
    id: "news-8",
    test: "shared/edges/console/operations/webhooks › a test says what came of it, and no other webhook is told of it",
    guard: 'if (kind === "webhook_tested") return subject === webhook.id;',
    without: "",
  },
  {
    id: "news-9",
    test: "shared/edges/console/operations/webhooks › a webhook is made, shown, changed, disabled, enabled and deleted; its secret is shown once",
    in: "console/operations/webhooks.ts",
    guard: "host: new URL(url).host,",
    without: "host: url,",
  },
  {
    id: "news-10",
    test: "shared/edges/jobs/news-fair › webhooks of one organization take turns in its share",
    guard: "const share = inTurns(due).slice(0, newsLimits.attemptsMax);",
    without: "const share = due.slice(0, newsLimits.attemptsMax);",
  },
  {
    id: "news-11",
    test: "shared/edges/jobs/news-fair › for an organization whose receiver takes long, a run soon begins nothing more, and the next one goes on",
    guard: "Math.min(until, now + newsLimits.ofOrganizationMs)",
    without: "until",
  },
  {
    id: "news-12",
    test: "shared/edges/jobs/news-fair › what is our own fault disables no webhook, however long it lasts",
    guard: 'if (last.failure === "our_fault" || !afterAttemptAt(known, last)) return;',
    without: "if (!afterAttemptAt(known, last)) return;",
  },
  {
    id: "news-13",
    test: "shared/edges/jobs/news-fair › an organization that is changed while a run looks at it is looked at again",
    guard: 'when: [next === null ? hasRevision(revision) : exists("due_kind")],',
    without: 'when: [exists("due_kind")],',
  },
  {
    id: "news-14",
    test: "shared/edges/jobs/news-mails › who has left meanwhile gets no mail, and who is back in another role gets what that role does",
    guard: "if (!membership || !isMailedTo(membership, line, await makerOf(line, mail))) return undefined;",
    without: "",
  },
  {
    id: "news-15",
    test: "shared/edges/jobs/news-mails › names of others are text on one line: they add no header and no markup",
    guard: 'const seen = typed.replace(/[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]+/gu, " ").trim();',
    without: "const seen = typed;",
  },
  {
    id: "news-16",
    test: "shared/edges/jobs/news-mails › a line whose mails are made costs the runs after it no write",
    guard: "const fresh = ids.filter((id) => !known.has(id)).slice(0, newsLimits.mailedLinesOfRunMax);",
    without: "const fresh = ids;",
  },
  {
    id: "news-17",
    test: "shared/edges/jobs/news-mails › whatever step a run dies at",
    guard: "if (reached.length > 0) await webhooks.wake(organization, now + newsLimits.lookGapMs);",
    without: "",
  },
  {
    id: "news-18",
    test: "shared/edges/jobs/news-mails › a person gets twenty mails a day, and the last one says so",
    guard: "window: String(day), most, ends_at });",
    without: "window: String(day), most: undefined, ends_at });",
  },
  {
    id: "news-19",
    test: "shared/edges/jobs/news-mails › of two runs that find a line at the same time, one mails it",
    in: "store/news/deliveries.ts",
    guard: 'return (await putItem(aws, table, item, [absent("pk")])).done;',
    without: "return (await putItem(aws, table, item, [])).done;",
  },
  {
    id: "news-20",
    test: "shared/edges/console/operations/account-mails › of two choices at once both are kept",
    guard: 'before ? equals("mails", toAttribute(before)) : absent("mails")',
    without: 'exists("role")',
  },
  {
    id: "news-21",
    test: "shared/people/news/mail-kinds › nobody is mailed more than their role sees in the audit log, whatever they have chosen",
    guard: 'return chosen === "all" && !mayDo(role, right) ? "own" : chosen;',
    without: "return chosen;",
  },
  {
    id: "news-22",
    test: "shared/edges/jobs/tell-prices › two passes at once tell once",
    guard:
      "revision: revision + 1 }),\n        when: [hasRevision(revision)],\n      });\n      const writes",
    without: "revision: revision + 1 }),\n        when: [],\n      });\n      const writes",
  },
  {
    id: "news-23",
    test: "shared/edges/jobs/tell-prices › whoever called the model is told once, with the day and what changes",
    guard: "called.has(model) && !before.told.includes(id)",
    without: "!before.told.includes(id)",
  },
];
