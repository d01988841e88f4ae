/** What keeps people where an invitation leads them. */
import type { Row } from "#test/guards/guard.ts";

const invitations = "shared/edges/console/operations/sign-in-invitations";

export const invitationRows: Row[] = [
  {
    id: "invited-1",
    test: `${invitations} › leads a new user into its organization and into no other one`,
    guard: "const home = entry?.membership ?? own;",
    without: "const home = own;",
    rule: "the session of an invited newcomer begins where the invitation leads",
  },
  {
    id: "invited-2",
    test: `${invitations} › leads a known user there too, and one that is not good leaves them where they are`,
    guard: "const home = entry?.membership ?? first ?? own;",
    without: "const home = first ?? entry?.membership ?? own;",
    rule: "the session of a sign-in by an invitation is for the organization that invites",
  },
  {
    id: "invited-3",
    test: `${invitations} › is not needed by somebody who was invited and is in no organization any more: they get their own, once`,
    guard: "return isRegistrationOpen && (await accounts.organization(organization)) === undefined;",
    without: "return isRegistrationOpen;",
    rule: "who has left their own organization does not get it back",
  },
];
