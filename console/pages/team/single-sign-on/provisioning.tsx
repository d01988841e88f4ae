/** SCIM: the address and the token by which the provider creates and deactivates people, and what came of it. */
import { useState } from "preact/hooks";
import type { Provisioning } from "../../../api-types.ts";
import { count, minute } from "../../../format.ts";
import { useRead } from "../../../load.ts";
import { Button } from "../../../parts/button.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { Secret } from "../../../parts/copy.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { DialogForm } from "../../../parts/dialog-form.tsx";
import { type Fact, FactList } from "../../../parts/fact-list.tsx";
import { Field } from "../../../parts/field.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Section } from "../../../parts/sheet.tsx";
import { ShownOnce } from "../../../parts/shown-once.tsx";
import { api } from "../../../session.ts";
import { frameWords } from "../../../words.ts";

type Words = typeof import("./en.ts").words;

type OpenDialog =
  | { what: "make"; isNew: boolean }
  | { what: "remove" }
  | { what: "token"; token: string }
  | { what: "claim"; claim: string };

export function ProvisioningSection({ words }: { words: Words }) {
  const read = useRead<"show_provisioning">("/api/v1/provisioning");
  const [asked, setAsked] = useState<OpenDialog>();
  const close = () => {
    setAsked(undefined);
    // Behind a dialog the page stays as it is, so that nothing takes the token away.
    read.reload();
  };
  return (
    <>
      <Loaded of={read} lines={4}>
        {(provisioning) => <Shown {...{ words, provisioning }} onAsk={setAsked} />}
      </Loaded>
      {asked && <Asked {...{ words, asked }} onAsk={setAsked} onClose={close} />}
    </>
  );
}

interface ShownProps {
  words: Words;
  provisioning: Provisioning;
  onAsk: (asked: OpenDialog) => void;
}

function Shown({ words, provisioning, onAsk }: ShownProps) {
  const { enabled, base_url, external_id_claim } = provisioning;
  const actions = (
    <>
      <Button onPress={() => onAsk({ what: "claim", claim: external_id_claim ?? "" })}>{words.findBy}</Button>
      {enabled && <Button onPress={() => onAsk({ what: "remove" })}>{words.endToken}</Button>}
      <Button onPress={() => onAsk({ what: "make", isNew: !enabled })}>
        {enabled ? words.newToken : words.makeToken}
      </Button>
    </>
  );
  return (
    <Section title={words.provisioning} lead={words.provisioningLead} actions={actions}>
      <FactList facts={factsOf(words, provisioning)} />
      <h3>{words.scimAddress}</h3>
      <p class="hint">{words.scimAddressHint}</p>
      <Secret text={base_url} label={words.scimAddress} />
    </Section>
  );
}

interface AskedProps extends Pick<ShownProps, "words" | "onAsk"> {
  asked: OpenDialog;
  onClose: () => void;
}

function Asked({ words, asked, onAsk, onClose }: AskedProps) {
  if (asked.what === "token") {
    const { token: title, tokenLead: lead, tokenDone: done } = words;
    return <ShownOnce {...{ title, lead, text: asked.token, label: title, done, onClose }} isFirm />;
  }
  if (asked.what === "remove")
    return (
      <Confirm
        title={words.endToken}
        action={words.endToken}
        onClose={onClose}
        act={async () => void (await api.remove<"remove_provisioning_token">("/api/v1/provisioning/token"))}
      >
        {words.endTokenLead}
      </Confirm>
    );
  if (asked.what === "claim") return <FindBy {...{ words, onClose }} before={asked.claim} />;
  const make = async () => {
    const { token } = await api.post<"make_provisioning_token">("/api/v1/provisioning/token", {});
    onAsk({ what: "token", token });
  };
  const [title, lead] = asked.isNew
    ? [words.makeToken, words.makeTokenLead]
    : [words.newToken, words.newTokenLead];
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm action={title} act={make} onClose={onClose}>
        <p>{lead}</p>
      </DialogForm>
    </Dialog>
  );
}

interface FindByProps extends Pick<AskedProps, "words" | "onClose"> {
  before: string;
}

function FindBy({ words, before, onClose }: FindByProps) {
  const [claim, setClaim] = useState(before);
  const save = async () => {
    const external_id_claim = claim.trim() || null;
    await api.patch<"change_provisioning">("/api/v1/provisioning", { external_id_claim });
    onClose();
  };
  return (
    <Dialog title={words.findBy} onClose={onClose}>
      <DialogForm action={frameWords.value.save} act={save} onClose={onClose}>
        <p>{words.findByLead}</p>
        <Field
          label={words.externalIdClaim}
          hint={words.externalIdHint}
          value={claim}
          onValue={setClaim}
          autocomplete="off"
        />
      </DialogForm>
    </Dialog>
  );
}

function factsOf(
  words: Words,
  { enabled, token_made_at, called_at, people, groups, external_id_claim }: Provisioning,
): Fact[] {
  return [
    [words.state, enabled ? words.provisioningOn : words.provisioningOff],
    [words.tokenMade, token_made_at && minute(token_made_at)],
    [words.lastCall, called_at === null ? words.noCall : minute(called_at)],
    [words.findBy, external_id_claim ?? words.findByAddress],
    [words.people, count(people)],
    [words.groups, count(groups)],
  ];
}
