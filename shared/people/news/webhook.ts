/** Webhooks of an organization: where its news are sent (README.md "Webhooks"). Instants are Unix milliseconds. */
import { invalidField } from "../../base/json/fields.ts";
import { checkHost } from "../../base/platform/public-address.ts";
import type { AuditEntry, AuditKind } from "../identity/audit.ts";
import type { Box } from "../identity/boxes.ts";
import { newsLimits } from "./bounds.ts";
import type { DeliveryAttempt } from "./delivery.ts";

/** Why a webhook gets nothing. `gone`: its receiver said so, by 410. `failing`: nothing arrived for days. */
export const disabledWhys = ["member", "operator", "gone", "failing"] as const;
type DisabledWhy = (typeof disabledWhys)[number];

/** A signing secret. */
export interface SealedSecret extends Box {
  /** Until when it signs; null: it is the current one. */
  until: number | null;
}

export interface Webhook {
  id: string;
  url: string;
  /** What it is told; null: everything. */
  kinds: AuditKind[] | null;
  /** Null: it is enabled. */
  disabled: DisabledWhy | null;
  /** It is told of what happens from then on. */
  since: number;
  created_at: number;
  /** The current secret first. */
  secrets: SealedSecret[];
  /** Since when every attempt has failed; null: the last one has not. */
  failing_since: number | null;
}

/** The webhooks of an organization, and how far its log has been looked through. */
export interface Webhooks {
  organization: string;
  list: Webhook[];
  /** Rises with each change. 0: nothing is stored yet. */
  revision: number;
  /** Lines from before are all told. */
  told_to: number;
}

/** What of the store of webhooks the members, the operator and the run need. */
export interface WebhookStore {
  /** Those of an organization, strongly consistent. */
  of(organization: string): Promise<Webhooks>;
  /** Replaces the list, with the line of the change if there is one. False where somebody else has changed it. */
  change(before: Webhooks, list: Webhook[], line: AuditEntry | undefined, now: number): Promise<boolean>;
  /** Organizations that are to be looked at now, the longest due first. */
  due(now: number, limit: number): Promise<DueOrganization[]>;
  /** Every organization that has a webhook, in no order. */
  all(): AsyncIterable<string>;
  /** Takes it, so that nobody else looks at it before `next`. False where somebody has. */
  claim(due: DueOrganization, next: number): Promise<boolean>;
  /** Has an organization looked at at `at`, unless it is before. */
  wake(organization: string, at: number): Promise<void>;
  /**
   * Notes how far the log has been looked through, and when it is looked at next. Null: when it is changed, and nothing is
   * noted where it has been changed since it was read.
   */
  looked(read: Webhooks, told_to: number, next: number | null): Promise<void>;
}

export interface DueOrganization {
  organization: string;
  due_at: number;
}

/** What nobody has stored yet. */
export function noWebhooks(organization: string): Webhooks {
  return { organization, list: [], revision: 0, told_to: 0 };
}

export function isEnabled({ disabled }: Webhook): boolean {
  return disabled === null;
}

/** Whether a webhook is told of a line. A test is for the webhook that it tests. */
export function isTold(webhook: Webhook, { at, kind, subject }: AuditEntry): boolean {
  if (!isEnabled(webhook) || at < webhook.since) return false;
  if (kind === "webhook_tested") return subject === webhook.id;
  return webhook.kinds === null || webhook.kinds.includes(kind);
}

/** A webhook after an attempt to call it at `at`; undefined where nothing of it changes. */
export function afterAttemptAt(
  webhook: Webhook,
  { at, status, failure }: Pick<DeliveryAttempt, "at" | "status" | "failure">,
): Webhook | undefined {
  const { failing_since } = webhook;
  if (failure === null) return failing_since === null ? undefined : { ...webhook, failing_since: null };
  if (!isEnabled(webhook)) return undefined;
  if (status === 410) return { ...webhook, disabled: "gone" };
  if (failing_since === null) return { ...webhook, failing_since: at };
  return at - failing_since < newsLimits.failingMs ? undefined : { ...webhook, disabled: "failing" };
}

/**
 * A webhook's URL in one spelling. Throws `invalid_request` for what is no public HTTPS address. `localHosts`: the names
 * of this machine, which may be called by HTTP and on any port, where the gateway runs locally.
 */
export function readWebhookUrl(given: string, localHosts: readonly string[]): string {
  const must = (what: string) => invalidField("url", what);
  if (given.length > newsLimits.urlCharsMax)
    throw must(`a URL of at most ${newsLimits.urlCharsMax} characters`);
  const url = URL.parse(given);
  if (!url) throw must("a URL such as https://example.com/hooks");
  if (url.username !== "" || url.password !== "") throw must("a URL without a user and a password");
  if (url.hash !== "") throw must("a URL without a fragment");
  if (isLocal(url, localHosts)) return url.href;
  if (url.protocol !== "https:") throw must("a URL that begins with https://");
  const ports: readonly number[] = newsLimits.ports;
  if (url.port !== "" && !ports.includes(Number(url.port)))
    throw must(`a URL with one of the ports ${ports.join(", ")}`);
  try {
    checkHost(url);
  } catch {
    throw must("a URL with a public address");
  }
  return url.href;
}

/** Whether a URL leads to this machine, where the gateway runs locally. */
export function isLocal({ protocol, hostname }: URL, localHosts: readonly string[]): boolean {
  return (protocol === "http:" || protocol === "https:") && localHosts.includes(hostname);
}
