/** The dialog that makes a webhook, or changes one. */
import { useState } from "preact/hooks";
import type { Webhook } from "../../../api-types.ts";
import { Dialog } from "../../../parts/dialog.tsx";
import { DialogForm } from "../../../parts/dialog-form.tsx";
import { Field } from "../../../parts/field.tsx";
import { api } from "../../../session.ts";
import { settings } from "../../../settings.ts";
import { frameWords } from "../../../words.ts";
import { allGroups, groupsOf, type KindGroup, kindsOf } from "./kinds.ts";

type Words = typeof import("./en.ts").words;

interface EditProps {
  words: Words;
  /** The webhook that is changed; without one a new one is made. */
  webhook: Webhook | undefined;
  onClose: () => void;
  onDone: () => void;
  /** Told the secret of a new one. */
  onSecret: (secret: string) => void;
}

export function EditWebhook({ words, webhook, onClose, onDone, onSecret }: EditProps) {
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [groups, setGroups] = useState<readonly KindGroup[]>(groupsOf(webhook?.kinds ?? null));
  const [isWrong, setWrong] = useState(false);
  const save = async () => {
    setWrong(groups.length === 0);
    if (groups.length === 0) return;
    // Kinds that were chosen one by one stay as they are, unless somebody touches their groups.
    const isSame = webhook && groupsOf(webhook.kinds).join() === groups.join();
    const body = { url: url.trim(), kinds: isSame ? webhook.kinds : kindsOf(groups) };
    if (webhook) {
      await api.patch<"change_webhook">(`/api/v1/webhooks/${encodeURIComponent(webhook.id)}`, body);
      onDone();
      onClose();
      return;
    }
    const { secret } = await api.post<"create_webhook">("/api/v1/webhooks", body);
    onDone();
    onSecret(secret);
  };
  const pick = (group: KindGroup, isOn: boolean) =>
    setGroups(allGroups.filter((each) => (each === group ? isOn : groups.includes(each))));
  return (
    <Dialog title={webhook ? words.edit : words.add} onClose={onClose}>
      <DialogForm action={frameWords.value.save} act={save} onClose={onClose}>
        <Field
          label={words.url}
          hint={settings.inbox_url ? words.urlLocal(`${settings.inbox_url}/hooks`) : words.urlHint}
          value={url}
          onValue={setUrl}
          maxLength={500}
          autocomplete="off"
        />
        <fieldset class="choice">
          <legend>{words.about}</legend>
          {allGroups.map((group) => (
            <label key={group} class="pick">
              <input
                type="checkbox"
                checked={groups.includes(group)}
                onChange={(event) => pick(group, event.currentTarget.checked)}
              />
              {words.groups[group]}
            </label>
          ))}
          <p class="wrong" aria-live="polite">
            {isWrong && words.noGroup}
          </p>
        </fieldset>
      </DialogForm>
    </Dialog>
  );
}
