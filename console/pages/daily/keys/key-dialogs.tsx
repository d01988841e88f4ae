/** The dialogs of a key that is there: it is changed, given another secret, disabled, enabled and revoked. */
import { useState } from "preact/hooks";
import type { ApiKey } from "../../../api-types.ts";
import {
  type ChangedExpiry,
  expiryDays,
  formOf,
  type KeyForm,
  keyChange,
  wrongFields,
} from "../../../key-form.ts";
import { Confirm } from "../../../parts/confirm.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { DialogForm } from "../../../parts/dialog-form.tsx";
import { Field, fieldsOf, Select } from "../../../parts/field.tsx";
import { api, madeKey } from "../../../session.ts";
import { frameWords } from "../../../words.ts";
import { BoundBy } from "./bound-by.tsx";
import { KeyBounds } from "./key-bounds.tsx";
import { ShownSecret } from "./shown-secret.tsx";

type Words = typeof import("./en.ts").words;

export interface KeyDialogProps {
  words: Words;
  apiKey: ApiKey;
  onClose: () => void;
  onDone: () => void;
}

const pathOf = ({ id }: ApiKey) => `/api/v1/keys/${encodeURIComponent(id)}` as const;

/** What a key is called. */
export const nameOf = ({ name, last_four }: ApiKey): string => name || `…${last_four}`;

const expiries = ["kept", ...Object.keys(expiryDays)] as ChangedExpiry[];

/** The program renews its key. */
const keptAlone: ChangedExpiry[] = ["kept"];

export function ChangeKey({ words, apiKey, onClose, onDone }: KeyDialogProps) {
  const [form, setForm] = useState<KeyForm>(() => formOf(apiKey));
  const [wrong, setWrong] = useState(new Set<keyof KeyForm>());
  const set = (change: Partial<KeyForm>) => setForm((before) => ({ ...before, ...change }));
  const change = async () => {
    const found = wrongFields(form);
    setWrong(found);
    if (found.size > 0) return;
    await api.patch<"change_key">(pathOf(apiKey), keyChange(form, Date.now()));
    onDone();
    onClose();
  };
  return (
    <Dialog title={words.changeOf(nameOf(apiKey))} onClose={onClose}>
      <DialogForm action={frameWords.value.save} act={change} onClose={onClose}>
        <Field label={words.name} {...fieldsOf(form, set)("name")} maxLength={128} autocomplete="off" />
        <KeyBounds {...{ words, form, wrong, set }} expiries={apiKey.program ? keptAlone : expiries} />
        <BoundBy words={words} apiKey={apiKey} />
      </DialogForm>
    </Dialog>
  );
}

/** For how long the old secret stays good, in seconds, by the words for it. */
const overlaps = { none: 0, hour: 3_600, today: 86_400, week: 604_800 } as const;
type Overlap = keyof typeof overlaps;

export function RotateKey({ words, apiKey, onClose, onDone }: KeyDialogProps) {
  const [overlap, setOverlap] = useState<Overlap>("today");
  const [secret, setSecret] = useState<string>();
  const rotate = async () => {
    const body = { overlap_seconds: overlaps[overlap] };
    const made = await api.post<"rotate_key">(`${pathOf(apiKey)}/rotate`, body);
    madeKey.value = made;
    setSecret(made.key);
    onDone();
  };
  if (secret !== undefined)
    return (
      <Dialog key="secret" title={words.rotated} onClose={onClose} isFirm>
        <ShownSecret words={words} secret={secret} onClose={onClose} />
      </Dialog>
    );
  return (
    <Dialog key="form" title={words.rotateOf(nameOf(apiKey))} onClose={onClose}>
      <DialogForm action={words.rotate} act={rotate} onClose={onClose}>
        <p>{words.rotateLead}</p>
        <Select
          label={words.overlap}
          value={overlap}
          options={(Object.keys(overlaps) as Overlap[]).map((each) => [each, words.overlaps[each]] as const)}
          onValue={setOverlap}
        />
      </DialogForm>
    </Dialog>
  );
}

export function DisableKey({ words, apiKey, onClose, onDone }: KeyDialogProps) {
  const disable = async () => {
    await api.post<"disable_key">(`${pathOf(apiKey)}/disable`, {});
    onDone();
  };
  return (
    <Confirm title={words.disableOf(nameOf(apiKey))} action={words.disable} onClose={onClose} act={disable}>
      {words.disableLead}
    </Confirm>
  );
}

export function EnableKey({ words, apiKey, onClose, onDone }: KeyDialogProps) {
  const enable = async () => {
    await api.post<"enable_key">(`${pathOf(apiKey)}/enable`, {});
    onDone();
  };
  return (
    <Confirm title={words.enableOf(nameOf(apiKey))} action={words.enable} onClose={onClose} act={enable}>
      {words.enableLead}
    </Confirm>
  );
}

export function RevokeKey({ words, apiKey, onClose, onDone }: KeyDialogProps) {
  const revoke = async () => {
    await api.remove<"revoke_key">(pathOf(apiKey));
    if (madeKey.value?.id === apiKey.id) madeKey.value = undefined;
    onDone();
  };
  return (
    <Confirm title={words.revokeTitle} action={words.revoke} onClose={onClose} act={revoke}>
      {words.revokeLead(nameOf(apiKey))}
    </Confirm>
  );
}
