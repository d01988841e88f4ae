/** The dialog that makes a project, or changes its name and members. */
import { useState } from "preact/hooks";
import type { Project } from "../../../api-types.ts";
import { callName } from "../../../contacts.ts";
import { useRead } from "../../../load.ts";
import { Dialog } from "../../../parts/dialog.tsx";
import { DialogForm } from "../../../parts/dialog-form.tsx";
import { Choice, Field } from "../../../parts/field.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { api } from "../../../session.ts";
import { frameWords } from "../../../words.ts";

type Words = typeof import("./en.ts").words;

interface ProjectFormProps {
  words: Words;
  /** The project that is changed; without one a new one is made. */
  project: Project | undefined;
  onClose: () => void;
  onDone: () => void;
}

export const pathOf = ({ id }: Project) => `/api/v1/projects/${encodeURIComponent(id)}` as const;

export function ProjectForm({ words, project, onClose, onDone }: ProjectFormProps) {
  const [name, setName] = useState(project?.name ?? "");
  const [handle, setHandle] = useState("");
  const [access, setAccess] = useState<"open" | "closed">(project?.members ? "closed" : "open");
  const [chosen, setChosen] = useState(new Set((project?.members ?? []).map(({ id }) => id)));
  const [isWrong, setWrong] = useState(false);
  const save = async () => {
    const isBad = !name.trim() || name.includes("#");
    setWrong(isBad);
    if (isBad) return;
    const body = { name: name.trim(), members: access === "open" ? null : [...chosen] };
    if (project) await api.patch<"change_project">(pathOf(project), body);
    else
      await api.post<"create_project">("/api/v1/projects", {
        ...body,
        ...(handle.trim() && { id: handle.trim() }),
      });
    onDone();
    onClose();
  };
  return (
    <Dialog title={project ? words.changeOf(project.name) : words.create} onClose={onClose}>
      <DialogForm action={frameWords.value.save} act={save} onClose={onClose}>
        <Field
          label={words.name}
          value={name}
          onValue={setName}
          maxLength={128}
          autocomplete="off"
          wrong={isWrong && words.nameWrong}
        />
        {!project && (
          <Field
            label={words.handle}
            hint={words.handleHint}
            isOptional
            value={handle}
            onValue={setHandle}
            maxLength={128}
            autocomplete="off"
          />
        )}
        <Choice<"open" | "closed">
          label={words.members}
          value={access}
          options={[
            { value: "open", name: words.open, about: words.openAbout },
            { value: "closed", name: words.closed, about: words.closedAbout },
          ]}
          onValue={setAccess}
        />
        {access === "closed" && <Members words={words} chosen={chosen} onChosen={setChosen} />}
      </DialogForm>
    </Dialog>
  );
}

interface MembersProps {
  words: Words;
  chosen: ReadonlySet<string>;
  onChosen: (chosen: Set<string>) => void;
}

function Members({ words, chosen, onChosen }: MembersProps) {
  const members = useRead<"list_members">("/api/v1/members");
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChosen(next);
  };
  return (
    <Loaded of={members}>
      {({ data }) => (
        <fieldset class="stack">
          <legend class="unseen">{words.members}</legend>
          {data.map((member) => (
            <label key={member.id} class="row">
              <input type="checkbox" checked={chosen.has(member.id)} onChange={() => toggle(member.id)} />
              {callName(member)}
            </label>
          ))}
        </fieldset>
      )}
    </Loaded>
  );
}
