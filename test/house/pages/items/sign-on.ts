/** The items of the store: how people sign in by their organization's own provider, and by passkeys. */
import {
  connectionKey,
  directoryKey,
  directoryNameKey,
  domainClaimKey,
  domainKey,
  groupsKey,
  linkedPersonKey,
  passkeyKey,
  provisionedKey,
} from "#shared/edges/store/dynamodb/account-keys.ts";
import { key, type Stored } from "./stored.ts";

export const storedOfSignOn: readonly Stored[] = [
  {
    table: "accounts",
    what: "connection to an organization's own identity provider",
    kept: "for good",
    version: "`secret_version`: of the accounts' secret that encrypts the client's secret",
    changes: "+",
    items: [
      {
        what: "connection",
        keys: [key(connectionKey, "<org>")],
        written: [["", "it has the issuer and the instant of change as they were read, or there is none"]],
      },
    ],
  },
  {
    table: "accounts",
    what: "domain of an organization, and who has proved it",
    kept: "for good; a claim that was given up for a day",
    changes: "+. A holder that is lost is made anew by a check",
    items: [
      {
        what: "claim of a domain",
        keys: [key(domainClaimKey, "<org>", "<domain>")],
        written: [
          ["", "no such claim; later: its token and the instant of its last sight are as they were read"],
        ],
      },
      {
        what: "domain",
        keys: [key(domainKey, "<domain>")],
        written: [
          ["", "it is nobody's, this organization's, or that of the organization whose record is gone"],
        ],
      },
    ],
  },
  {
    table: "accounts",
    what: "person at a provider",
    kept: "for good",
    changes: "+. A lost one makes another user of the same person",
    items: [
      {
        what: "person at a provider",
        keys: [key(linkedPersonKey, "<hash>")],
        written: [["", "no such item; in the transaction of the first sign-on"]],
      },
    ],
  },
  {
    table: "accounts",
    what: "passkey",
    kept: "for good; a removed one for a day",
    changes: "+. A lost one is added again by its user, who signs in by a code",
    items: [
      {
        what: "passkey",
        keys: [key(passkeyKey, "<user>", "<hash>")],
        written: [["", "the user has no such one; a use: its counter is as it was read, with the session"]],
      },
    ],
  },
  {
    table: "accounts",
    what: "directory of SCIM: token, people, names and groups",
    kept: "for good; a person and a name that are over for a day",
    changes: "+. After a restore let the provider send everybody again: some are as they were then",
    items: [
      {
        what: "token of a provider, and how many people it has provisioned",
        keys: [key(directoryKey, "<org>")],
        written: [
          ["another token, or none", "the token is as it was read; one transaction with the audit log"],
          ["another person", "the token that asked is in force, and there is room"],
          ["the claim that finds people", "it is as it was read; one transaction with the audit log"],
          ["a call, once a minute", "the token that asked is in force"],
        ],
      },
      {
        what: "person whom SCIM has provisioned",
        keys: [key(provisionedKey, "<org>", "<user>")],
        written: [
          [
            "",
            "no such person; later: the revision is as it was read; one transaction with names, membership and the audit log",
          ],
          ["a sign-on", "the revision is as it was read; in the transaction of the session"],
        ],
      },
      {
        what: "name in a directory",
        keys: [key(directoryNameKey, "<org>", "<hash>")],
        written: [["", "it is free, or its holder's as it was read"]],
      },
      {
        what: "groups of a directory",
        keys: [key(groupsKey, "<org>")],
        written: [["", "the revision is as it was read; one transaction with the audit log"]],
      },
    ],
  },
];
