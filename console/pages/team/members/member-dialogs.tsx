/** The dialogs about a member: a role, for who is invited too, and the end of the membership. */
import { useState } from "preact/hooks";
import type { Member, Role } from "../../../api-types.ts";
import { callName } from "../../../contacts.ts";
import { useRead } from "../../../load.ts";
import { Badge } from "../../../parts/badge.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { DialogForm } from "../../../parts/dialog-form.tsx";
import { Choice, Field } from "../../../parts/field.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { ShownOnce } from "../../../parts/shown-once.tsx";
import { go } from "../../../router.ts";
import { account, api, readAccount, restore, switchOrganization } from "../../../session.ts";
import { settings } from "../../../settings.ts";
import { frameWords } from "../../../words.ts";
import { page as joinPage } from "../../daily/join/page.ts";
import { page as overviewPage } from "../../first/overview/page.ts";

type Words = typeof import("./en.ts").words;
type Of = { words: Words; onClose: () => void };

/** What a member is called. */
export const nameOf = (member: Member): string => callName(member);

export const isMe = ({ id }: Member): boolean => id === account.value?.user.id;
const pathOf = ({ id }: Member) => `/api/v1/members/${encodeURIComponent(id)}` as const;

/** The roles, each with what it may do. An admin gives no role with rights that an admin lacks. */
function RoleChoice({ words, value, onValue }: { words: Words; value: Role; onValue: (role: Role) => void }) {
  const isOwner = account.value?.role === "owner";
  return (
    <Choice<Role>
      label={words.role}
      value={value}
      options={(Object.keys(words.abouts) as Role[]).map((role) => ({
        value: role,
        name: frameWords.value.roles[role],
        about: words.abouts[role],
        isDisabled: !isOwner && (role === "owner" || role === "finance"),
      }))}
      onValue={onValue}
    />
  );
}

export function ChangeRole({ words, member, onClose, onDone }: Of & { member: Member; onDone: () => void }) {
  const [role, setRole] = useState(member.role);
  const change = async () => {
    await api.patch<"change_member">(pathOf(member), { role });
    if (isMe(member)) await readAccount();
    onDone();
    onClose();
  };
  return (
    <Dialog title={words.roleTitle(nameOf(member))} onClose={onClose}>
      <DialogForm action={frameWords.value.save} act={change} onClose={onClose}>
        <RoleChoice words={words} value={role} onValue={setRole} />
        <p class="hint">{words.roleKeys}</p>
      </DialogForm>
    </Dialog>
  );
}

/** Removes a member, or leaves. Who removes somebody sees which keys descend from them, and may end all of those. */
export function Remove({ words, member, onClose, onDone }: Of & { member: Member; onDone: () => void }) {
  const leaves = isMe(member);
  const [endsAll, setEndsAll] = useState(false);
  const keys = useRead<"list_member_keys">(`${pathOf(member)}/keys?limit=100`);
  const remove = async () => {
    await api.remove<"remove_member">(`${pathOf(member)}${endsAll ? "?keys=end" : ""}`);
    if (!leaves) return onDone();
    // Who has left goes on in another organization, or is signed out.
    const others = account.value?.organizations.filter(({ id }) => id !== account.value?.organization.id);
    await (others?.[0] ? switchOrganization(others[0].id) : restore());
    go(overviewPage.path);
  };
  return (
    <Confirm
      title={leaves ? words.leaveTitle : words.removeTitle(nameOf(member))}
      action={leaves ? words.leave : words.remove}
      act={remove}
      onClose={onClose}
      more={
        !leaves && (
          <Loaded of={keys} lines={2}>
            {({ data, has_more }) =>
              data.length > 0 && (
                <div>
                  <b>{words.theirKeys}</b>
                  <p class="hint">{words.theirKeysLead}</p>
                  <ul>
                    {data.map((key) => (
                      <li key={key.id}>
                        {key.name} <code class="faint">…{key.last_four}</code>{" "}
                        {(endsAll || key.ends_with_member) && <Badge look="warn">{words.endsToo}</Badge>}
                      </li>
                    ))}
                  </ul>
                  {has_more && <p>{words.moreKeys}</p>}
                  <label class="pick">
                    <input
                      type="checkbox"
                      checked={endsAll}
                      onChange={(event) => setEndsAll(event.currentTarget.checked)}
                    />
                    {words.endOthers}
                  </label>
                </div>
              )
            }
          </Loaded>
        )
      }
    >
      {leaves ? words.leaveLead : words.removeLead}
    </Confirm>
  );
}

export function Invite({ words, onClose, onMade }: Of & { onMade: () => void }) {
  const [role, setRole] = useState<Role>("member");
  const [contact, setContact] = useState("");
  const [link, setLink] = useState<string>();
  const invite = async () => {
    const typed = contact.trim();
    const body = { role, ...(typed.includes("@") ? { email: typed } : typed && { phone: typed }) };
    const made = await api.post<"create_invitation">("/api/v1/invitations", body);
    // Behind `#`, where no server sees it.
    setLink(`${location.origin}${joinPage.path}#${made.token}`);
    onMade();
  };
  if (link) {
    const { linkTitle: title, linkLead: lead, link: label, done } = words;
    return <ShownOnce key="link" {...{ title, lead, text: link, label, done, onClose }} isFirm />;
  }
  return (
    <Dialog key="form" title={words.inviteTitle} onClose={onClose}>
      <DialogForm action={words.make} act={invite} onClose={onClose}>
        <RoleChoice words={words} value={role} onValue={setRole} />
        <Field
          label={settings.kinds.includes("email") ? words.contactLabel : words.phoneLabel}
          hint={settings.kinds.includes("email") ? words.contactHint : words.phoneHint}
          isOptional
          autocomplete="off"
          value={contact}
          onValue={setContact}
        />
      </DialogForm>
    </Dialog>
  );
}
