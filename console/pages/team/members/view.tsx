/** Members: who they are, what their roles mean, and the invitations that are open. */

import { useState } from "preact/hooks";
import type { Invitation, List, Member, Role } from "../../../api-types.ts";
import { contactsOf } from "../../../contacts.ts";
import { day } from "../../../format.ts";
import { type Loading, useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Badge } from "../../../parts/badge.tsx";
import { Button } from "../../../parts/button.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { FactList } from "../../../parts/fact-list.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Empty } from "../../../parts/note.tsx";
import { Paged } from "../../../parts/paged.tsx";
import { pageTitle, Section, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { account, api } from "../../../session.ts";
import { frameWords } from "../../../words.ts";
import { ChangeRole, Invite, isMe, nameOf, Remove } from "./member-dialogs.tsx";

type Words = typeof import("./en.ts").words;
type Of = { words: Words };

type OpenDialog =
  | { what: "invite" }
  | { what: "role" | "remove" | "release"; member: Member }
  | { what: "withdraw"; invitation: Invitation };

export function Page({ words }: PageProps<Words>) {
  const members = useRead<"list_members">("/api/v1/members");
  const invitations = useRead<"list_invitations">("/api/v1/invitations");
  const [asked, setAsked] = useState<OpenDialog>();
  const close = () => setAsked(undefined);
  const invite = (
    <Button look="main" icon="plus" onPress={() => setAsked({ what: "invite" })}>
      {words.invite}
    </Button>
  );
  return (
    <Sheet lead={words.lead} actions={invite}>
      <Paged of={members} path="/api/v1/members">
        {(all, hasMore) => <Members words={words} members={all} isAll={!hasMore} onAsk={setAsked} />}
      </Paged>
      <Section title={words.roles}>
        <FactList
          facts={(Object.keys(words.abouts) as Role[]).map((role) => [
            frameWords.value.roles[role],
            words.abouts[role],
          ])}
        />
      </Section>
      <Invitations words={words} invitations={invitations} onAsk={setAsked} />
      {asked?.what === "invite" && <Invite words={words} onClose={close} onMade={invitations.reload} />}
      {asked?.what === "role" && (
        <ChangeRole words={words} member={asked.member} onClose={close} onDone={members.reload} />
      )}
      {asked?.what === "remove" && (
        <Remove words={words} member={asked.member} onClose={close} onDone={members.reload} />
      )}
      {asked?.what === "release" && (
        <Confirm
          title={words.releaseTitle(nameOf(asked.member))}
          action={words.release}
          onClose={close}
          act={async () => {
            const id = encodeURIComponent(asked.member.id);
            await api.remove<"release_sign_on">(`/api/v1/members/${id}/sign-on`);
          }}
        >
          {words.releaseLead}
        </Confirm>
      )}
      {asked?.what === "withdraw" && (
        <Confirm
          title={words.withdraw}
          action={words.withdraw}
          onClose={close}
          act={async () => {
            await api.remove<"withdraw_invitation">(
              `/api/v1/invitations/${encodeURIComponent(asked.invitation.id)}`,
            );
            invitations.reload();
          }}
        >
          {words.withdrawOf(whom(asked.invitation, words))}
        </Confirm>
      )}
    </Sheet>
  );
}

type Asks = Of & { onAsk: (asked: OpenDialog) => void };

function GroupProjects({ words, member: { group_projects: projects } }: Of & { member: Member }) {
  return projects.length > 0 ? <p class="faint">{words.groupProjects(projects.join(", "))}</p> : null;
}

/** Whom the provider has provisioned has no contact of their own. Owners join anew by themselves. */
function Release({ words, member, onAsk }: Asks & { member: Member }) {
  if (member.role === "owner" || contactsOf(member).length > 0) return null;
  return (
    <Button
      isSmall
      label={words.releaseOf(nameOf(member))}
      onPress={() => onAsk({ what: "release", member })}
    >
      {words.release}
    </Button>
  );
}

function Members({ words, members, isAll, onAsk }: Asks & { members: Member[]; isAll: boolean }) {
  const mine = account.value?.role;
  const hasOneOwner = isAll && members.filter(({ role }) => role === "owner").length === 1;
  /** Somebody has to be an owner. */
  const mustStay = ({ role }: Member) => hasOneOwner && role === "owner";
  /** Only owners touch owners. The server decides; this spares a try. */
  const mayTouch = ({ role }: Member) => role !== "owner" || mine === "owner";
  return (
    <Table
      caption={pageTitle()}
      rows={members}
      keyOf={({ id }) => id}
      columns={[
        [
          words.name,
          (member) => (
            <>
              {member.name || <span class="faint">{words.unnamed}</span>}{" "}
              {isMe(member) && <Badge look="good">{words.you}</Badge>}
              {member.status === "frozen" && <Badge look="warn">{words.frozen}</Badge>}
              <br />
              {contactsOf(member).length > 0 && (
                <span class="faint nowrap">{contactsOf(member).join(" · ")}</span>
              )}
            </>
          ),
        ],
        [
          words.role,
          (member) => (
            <>
              {frameWords.value.roles[member.role]}
              <GroupProjects {...{ words, member }} />
              {mustStay(member) && <p class="faint">{frameWords.value.reasons.last_owner}</p>}
            </>
          ),
        ],
        [words.joined, ({ joined_at }) => day(joined_at), "wide"],
        [
          words.change,
          (member) => (
            <div class="row end">
              {mayTouch(member) && (
                <Button
                  isSmall
                  isDisabled={mustStay(member)}
                  label={words.changeOf(nameOf(member))}
                  onPress={() => onAsk({ what: "role", member })}
                >
                  {words.change}
                </Button>
              )}
              {mine === "owner" && <Release {...{ words, member, onAsk }} />}
              {(isMe(member) || mayTouch(member)) && (
                <Button
                  isSmall
                  isDisabled={mustStay(member)}
                  label={isMe(member) ? words.leave : words.removeOf(nameOf(member))}
                  onPress={() => onAsk({ what: "remove", member })}
                >
                  {isMe(member) ? words.leave : words.remove}
                </Button>
              )}
            </div>
          ),
          "acts",
        ],
      ]}
    />
  );
}

const whom = ({ phone_last_four, email_shown }: Invitation, words: Words) =>
  email_shown ?? (phone_last_four ? words.phone(phone_last_four) : words.anybody);

function Invitations({ words, invitations, onAsk }: Asks & { invitations: Loading<List<Invitation>> }) {
  return (
    <Section title={words.open} lead={words.openLead}>
      <Loaded of={invitations}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={words.noneOpen}>{words.noneOpenLead}</Empty>
          ) : (
            <Table
              caption={words.open}
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                [words.for, (invitation) => whom(invitation, words)],
                [words.role, ({ role }) => frameWords.value.roles[role]],
                [words.by, ({ created_by }) => created_by.name || "–", "wide"],
                [words.ends, ({ expires_at }) => day(expires_at), "wide"],
                [
                  words.withdraw,
                  (invitation) => (
                    <Button
                      isSmall
                      label={words.withdrawOf(whom(invitation, words))}
                      onPress={() => onAsk({ what: "withdraw", invitation })}
                    >
                      {words.withdraw}
                    </Button>
                  ),
                  "acts",
                ],
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
