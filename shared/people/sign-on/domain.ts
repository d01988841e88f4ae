/** Domains that organizations claim, and prove by a record in DNS (README.md "Domains"). */
import { randomBytes } from "node:crypto";
import type { AuditEntry } from "../identity/audit.ts";
import { readDomain } from "../identity/email.ts";
import { signOnLimits } from "./bounds.ts";
import { publicMailDomains } from "./public-mail-domains.ts";

export interface DomainClaim {
  organization: string;
  /** In ASCII and lower case. */
  domain: string;
  /** What the record says. It is no secret: whoever reads DNS sees it. */
  token: string;
  /** When the record was last seen, Unix milliseconds. Null: never, or another organization has proved the domain since. */
  seen_at: number | null;
  created_at: number;
}

/** The store of claims. Every read is strongly consistent. */
export interface Domains {
  list(organization: string): Promise<DomainClaim[]>;
  read(organization: string, domain: string): Promise<DomainClaim | undefined>;
  /** The organization that has proved a domain. */
  holder(domain: string): Promise<string | undefined>;
  /** Stores a new claim. False where the organization has it already. */
  claim(claim: DomainClaim, entry: AuditEntry): Promise<boolean>;
  /**
   * Makes the organization of a claim the holder of its domain at `at` (Unix ms). `from`: the claim of the one that held
   * it, which has lost its record. False where anybody else has changed one of them.
   */
  prove(claim: DomainClaim, from: DomainClaim | undefined, at: number, entry: AuditEntry): Promise<boolean>;
  /** Notes that the record of a proved claim was seen. A claim that has changed meanwhile stays as it is. */
  see(claim: DomainClaim, at: number): Promise<void>;
  /** Gives a claim up, and the domain with it. False where it has changed. */
  drop(claim: DomainClaim, entry: AuditEntry): Promise<boolean>;
}

/** The texts of a name's TXT records; undefined where DNS gave no answer. */
export type ReadTexts = (name: string) => Promise<string[] | undefined>;

/** The name in front of a domain whose record proves it. */
const recordLabel = "_gateway-challenge";
/** A domain, so that the name of its record is no longer than a name may be; and an address (RFC 5321 §4.5.3.1). */
const domainCharsMax = 230;
const addressCharsMax = 254;
const recordStart = "gateway-domain=";

/** The record that proves a claim. */
export function recordOf({ domain, token }: DomainClaim): { name: string; type: "TXT"; value: string } {
  return { name: `${recordLabel}.${domain}`, type: "TXT", value: `${recordStart}${token}` };
}

export function newToken(): string {
  return randomBytes(18).toString("base64url");
}

/** The domain of an e-mail address; undefined where it has none. */
export function domainOf(email: string): string | undefined {
  const at = email.lastIndexOf("@");
  return at < 1 || email.length > addressCharsMax ? undefined : readDomain(email.slice(at + 1));
}

/** The domain that somebody typed; undefined for what is none, and for one that is too long for its record. */
export function claimedDomain(text: string): string | undefined {
  const typed = text.trim();
  return typed.length > domainCharsMax ? undefined : readDomain(typed);
}

/** Whether strangers have addresses in a domain: then no organization can have it for itself. */
export function isPublicMail(domain: string): boolean {
  return publicMailDomains.has(domain);
}

/** Whether a claim's record is in DNS; undefined where DNS gave no answer. */
export async function hasRecord(claim: DomainClaim, readTexts: ReadTexts): Promise<boolean | undefined> {
  const { name, value } = recordOf(claim);
  const texts = await readTexts(name);
  return texts?.some((text) => text.trim() === value);
}

/** Whether a claim counts at `now` (Unix ms): its record was seen lately. */
export function isProved({ seen_at }: Pick<DomainClaim, "seen_at">, now: number): boolean {
  return seen_at !== null && now < seen_at + signOnLimits.domainKeptMs;
}

/** Whether the record of a claim should be looked for at `now` (Unix ms). */
export function isCheckDue({ seen_at }: Pick<DomainClaim, "seen_at">, now: number): boolean {
  return seen_at !== null && now >= seen_at + signOnLimits.domainCheckMs;
}
