/** The dialogs that give a role: to a member, and to somebody who is invited. */
import { useState } from "preact/hooks";
import type { Role } from "../api-types.ts";
import { useAction } from "../load.ts";
import type { Invitation, Member } from "../money-types.ts";
import { Button } from "../parts/button.tsx";
import { Secret } from "../parts/copy.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Choice, Field } from "../parts/field.tsx";
import { ProblemNote } from "../parts/note.tsx";
import { paths } from "../paths.ts";
import { account, api, readAccount } from "../session.ts";
import type { words as english } from "../words/en/members.ts";
import { frameWords } from "../words.ts";

type Words = typeof english;
type Of = { words: Words; onClose: () => void };

/** What a member is called. */
export const nameOf = ({ name, phone_last_four }: Member): string => name || `…${phone_last_four ?? ""}`;

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
  const { run, isRunning, problem } = useAction();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isRunning) return;
    const path = `/api/v1/members/${encodeURIComponent(member.id)}`;
    const done = await run(async () => {
      await api.patch(path, { role });
      if (member.id === account.value?.user.id) await readAccount();
      return true;
    });
    if (!done) return;
    onDone();
    onClose();
  };
  return (
    <Dialog title={words.roleTitle(nameOf(member))} onClose={onClose}>
      <form onSubmit={submit}>
        <RoleChoice words={words} value={role} onValue={setRole} />
        <ProblemNote problem={problem} />
        <div class="row end">
          <Button onPress={onClose}>{frameWords.value.cancel}</Button>
          <Button type="submit" look="main" isBusy={isRunning}>
            {frameWords.value.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export function Invite({ words, onClose, onMade }: Of & { onMade: () => void }) {
  const [role, setRole] = useState<Role>("member");
  const [phone, setPhone] = useState("");
  const [link, setLink] = useState<string>();
  const { run, isRunning, problem } = useAction();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isRunning) return;
    const typed = phone.replace(/[\s-]/g, "");
    const body = { role, ...(typed && { phone: typed }) };
    const made = await run(() => api.post<Invitation>("/api/v1/invitations", body));
    if (!made) return;
    // Behind `#`, where no server sees it.
    setLink(`${location.origin}${paths.join}#${made.token}`);
    onMade();
  };
  if (link) {
    return (
      <Dialog key="link" title={words.linkTitle} onClose={onClose} isFirm>
        <div class="stack">
          <p>{words.linkLead}</p>
          <Secret text={link} label={words.link} />
          <div class="row end">
            <Button look="main" onPress={onClose}>
              {words.done}
            </Button>
          </div>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog key="form" title={words.inviteTitle} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <RoleChoice words={words} value={role} onValue={setRole} />
        <Field
          label={words.phoneLabel}
          hint={words.phoneHint}
          isOptional
          type="tel"
          autocomplete="off"
          value={phone}
          onValue={setPhone}
        />
        <ProblemNote problem={problem} />
        <div class="row end">
          <Button onPress={onClose}>{frameWords.value.cancel}</Button>
          <Button type="submit" look="main" isBusy={isRunning}>
            {words.make}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
