/** What keeps a restore from charging twice, from serving what was emptied, and from letting revoked keys in. */
import type { Row } from "#test/guards/guard.ts";

export const restores: Row[] = [
  {
    id: "restores-1",
    test: "shared/edges/store/restoring › a call that the meter holds for is not charged beside its hold, and nothing is booked",
    guard: 'when: [exists("kind"), absent(names.hold(event.id)), absent(names.seized(event.id))],',
    without: 'when: [exists("kind")],',
  },
  {
    id: "restores-2",
    test: "shared/edges/restore/redo › are each charged once (seed %i)",
    guard: 'if (held || intended) return "entered";',
    without: 'if (held) return "entered";',
  },
  {
    id: "restores-3",
    test: "infra/operator/restore › has no answer of a cache in it: each cache has an epoch that it never had",
    guard: "const epoch = Math.floor(now() / 1000);",
    without: "const epoch = 2;",
  },
  {
    id: "restores-4",
    test: "infra/operator/restore › is told with what to do, and a key that is valid again fails the command",
    guard: "ok: audit.ok && !isOpen &&",
    without: "ok: audit.ok && (isOpen || true) &&",
  },
  {
    id: "restores-5",
    test: "shared/edges/restore/losses › name a revoked key that the log alone knows, where the table before it is damaged",
    guard: '?.status === "revoked" || told.has(id);',
    without: '?.status === "revoked";',
  },
  {
    id: "restores-6",
    test: "infra/stage/given-tables › leaves the tables that it had of its own in the account, when it changes to others",
    guard: "removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,",
    without: "removalPolicy: RemovalPolicy.DESTROY,",
  },
  {
    id: "restores-7",
    test: "infra/operator/restore › is refused %s that time, with its bounds",
    guard: "if (instant < window.earliest || instant > window.latest) {",
    without: "if (Number.isNaN(instant)) {",
  },
];
