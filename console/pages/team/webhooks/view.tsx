/** Webhooks: where this organization's news are sent, and what arrived there. */
import { useState } from "preact/hooks";
import type { Webhook } from "../../../api-types.ts";
import { minute } from "../../../format.ts";
import { useAction, useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Badge } from "../../../parts/badge.tsx";
import { Button } from "../../../parts/button.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { DialogForm } from "../../../parts/dialog-form.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Empty, Note, ProblemNote } from "../../../parts/note.tsx";
import { pageTitle, Sheet } from "../../../parts/sheet.tsx";
import { ShownOnce } from "../../../parts/shown-once.tsx";
import { Table } from "../../../parts/table.tsx";
import { api } from "../../../session.ts";
import { Deliveries } from "./deliveries.tsx";
import { groupsOf } from "./kinds.ts";
import { EditWebhook } from "./webhook-form.tsx";

type Words = typeof import("./en.ts").words;

type OpenDialog =
  | { what: "edit"; webhook?: Webhook }
  | { what: "rotate" | "remove"; webhook: Webhook }
  | { what: "secret"; secret: string };

const pathOf = ({ id }: Webhook) => `/api/v1/webhooks/${encodeURIComponent(id)}` as const;

export function Page({ words }: PageProps<Words>) {
  const webhooks = useRead<"list_webhooks">("/api/v1/webhooks");
  const [asked, setAsked] = useState<OpenDialog>();
  const [shown, setShown] = useState<string>();
  const [sent, setSent] = useState(0);
  const { run, isRunning, problem } = useAction();
  const act = (what: () => Promise<unknown>) =>
    run(async () => {
      await what();
      webhooks.reload();
    });
  const test = (webhook: Webhook) =>
    act(async () => {
      await api.post<"test_webhook">(`${pathOf(webhook)}/test`, {});
      setShown(webhook.id);
      setSent((before) => before + 1);
    });
  const turn = (webhook: Webhook, enabled: boolean) =>
    act(() => api.patch<"change_webhook">(pathOf(webhook), { enabled }));
  const add = (
    <Button look="main" icon="plus" onPress={() => setAsked({ what: "edit" })}>
      {words.add}
    </Button>
  );
  return (
    <Sheet lead={words.lead} actions={add}>
      <ProblemNote problem={problem} />
      <Loaded of={webhooks} lines={4}>
        {({ data }) => (
          <>
            <Webhooks
              {...{ words, webhooks: data, isBusy: isRunning }}
              onAsk={setAsked}
              onShow={setShown}
              onTest={test}
              onTurn={turn}
            />
            {data
              .filter(({ id }) => id === shown)
              .map((webhook) => (
                <Deliveries
                  key={`${webhook.id} ${sent}`}
                  words={words}
                  webhook={webhook}
                  path={pathOf(webhook)}
                />
              ))}
          </>
        )}
      </Loaded>
      {asked && <AskedDialog words={words} asked={asked} onAsk={setAsked} onDone={webhooks.reload} />}
    </Sheet>
  );
}

interface AskedDialogProps {
  words: Words;
  asked: OpenDialog;
  onAsk: (asked: OpenDialog | undefined) => void;
  onDone: () => void;
}

function AskedDialog({ words, asked, onAsk, onDone }: AskedDialogProps) {
  const close = () => onAsk(undefined);
  const showSecret = (secret: string) => onAsk({ what: "secret", secret });
  if (asked.what === "edit")
    return (
      <EditWebhook
        words={words}
        webhook={asked.webhook}
        onClose={close}
        onDone={onDone}
        onSecret={showSecret}
      />
    );
  if (asked.what === "secret") {
    const { secret: title, secretLead: lead, done } = words;
    return <ShownOnce {...{ title, lead, text: asked.secret, label: title, done, onClose: close }} />;
  }
  if (asked.what === "rotate")
    return <Rotate words={words} webhook={asked.webhook} onClose={close} onSecret={showSecret} />;
  const remove = async () => {
    await api.remove<"delete_webhook">(pathOf(asked.webhook));
    onDone();
  };
  return (
    <Confirm
      title={words.of(words.remove, asked.webhook.url)}
      action={words.remove}
      onClose={close}
      act={remove}
    >
      {words.removeLead}
    </Confirm>
  );
}

interface RotateProps {
  words: Words;
  webhook: Webhook;
  onClose: () => void;
  onSecret: (secret: string) => void;
}

function Rotate({ words, webhook, onClose, onSecret }: RotateProps) {
  const rotate = async () => {
    const { secret } = await api.post<"rotate_webhook_secret">(`${pathOf(webhook)}/rotate`, {});
    onSecret(secret);
  };
  return (
    <Dialog title={words.of(words.rotate, webhook.url)} onClose={onClose}>
      <DialogForm action={words.rotate} act={rotate} onClose={onClose}>
        <p>{words.rotateLead}</p>
      </DialogForm>
    </Dialog>
  );
}

interface WebhooksProps {
  words: Words;
  webhooks: readonly Webhook[];
  isBusy: boolean;
  onAsk: (asked: OpenDialog) => void;
  onShow: (id: string) => void;
  onTest: (webhook: Webhook) => void;
  onTurn: (webhook: Webhook, enabled: boolean) => void;
}

function Webhooks({ words, webhooks, isBusy, onAsk, onShow, onTest, onTurn }: WebhooksProps) {
  if (webhooks.length === 0) return <Empty title={words.none}>{words.noneLead}</Empty>;
  return (
    <>
      {webhooks
        .filter(({ disabled_by }) => disabled_by === "failing" || disabled_by === "gone")
        .map(({ id, url }) => (
          <Note key={id} look="warn">
            {words.disabledNote(url)}
          </Note>
        ))}
      <Table
        caption={pageTitle()}
        rows={webhooks}
        keyOf={({ id }) => id}
        isOff={({ enabled }) => !enabled}
        columns={[
          [words.url, ({ url }) => <code>{url}</code>],
          [words.about, (webhook) => toldAbout(webhook, words), "wide"],
          [words.state, (webhook) => <State words={words} webhook={webhook} />],
          [
            words.acts,
            (webhook) => {
              const { url, enabled } = webhook;
              const acts: [name: string, onPress: () => void][] = [
                [words.deliveries, () => onShow(webhook.id)],
                [words.test, () => onTest(webhook)],
                [words.edit, () => onAsk({ what: "edit", webhook })],
                [enabled ? words.turnOff : words.turnOn, () => onTurn(webhook, !enabled)],
                [words.rotate, () => onAsk({ what: "rotate", webhook })],
                [words.remove, () => onAsk({ what: "remove", webhook })],
              ];
              return (
                <div class="row end">
                  {acts.map(([name, onPress]) => (
                    <Button
                      key={name}
                      isSmall
                      isDisabled={isBusy}
                      label={words.of(name, url)}
                      onPress={onPress}
                    >
                      {name}
                    </Button>
                  ))}
                </div>
              );
            },
            "acts",
          ],
        ]}
      />
    </>
  );
}

function toldAbout({ kinds }: Webhook, words: Words): string {
  if (kinds === null) return words.everything;
  return groupsOf(kinds)
    .map((group) => words.groups[group])
    .join(", ");
}

function State({ words, webhook }: { words: Words; webhook: Webhook }) {
  const { disabled_by, failing_since } = webhook;
  if (disabled_by) return <Badge look="warn">{words.disabled[disabled_by]}</Badge>;
  if (failing_since) return <Badge look="bad">{words.failing(minute(failing_since))}</Badge>;
  return <Badge look="good">{words.enabled}</Badge>;
}
