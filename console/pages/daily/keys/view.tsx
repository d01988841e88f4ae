/** Keys: what they may do, what they spent, making one and revoking one. */
import type { ComponentChild } from "preact";
import { useState } from "preact/hooks";
import { withQuery } from "../../../api.ts";
import type { ApiKey, UsageSeries } from "../../../api-types.ts";
import { count, day, minute, points } from "../../../format.ts";
import type { DefaultName } from "../../../key-defaults.ts";
import { useLoad, useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Badge } from "../../../parts/badge.tsx";
import { Button, ButtonLink } from "../../../parts/button.tsx";
import { Chip } from "../../../parts/chip.tsx";
import { Empty } from "../../../parts/note.tsx";
import { Paged } from "../../../parts/paged.tsx";
import { Points } from "../../../parts/points.tsx";
import { Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { query, setQuery } from "../../../router.ts";
import { account, api } from "../../../session.ts";
import { page as usagePage } from "../usage/page.ts";
import {
  ChangeKey,
  DisableKey,
  EnableKey,
  type KeyDialogProps,
  nameOf,
  RevokeKey,
  RotateKey,
} from "./key-dialogs.tsx";
import { NewKey } from "./new-key.tsx";

type Words = typeof import("./en.ts").words;

interface OpenDialog {
  Dialog: (props: KeyDialogProps) => ComponentChild;
  apiKey: ApiKey;
}

export function Page({ words }: PageProps<Words>) {
  const keys = useRead<"list_keys">("/api/v1/keys");
  const month = useLoad((asked) => api.get<"show_usage_series">(thisMonth(Date.now()), asked), "month");
  const [asked, setAsked] = useState<OpenDialog>();
  const [hasEnded, setEnded] = useState(false);
  // Other pages lead to the dialog too, so the address opens it.
  const isNew = query.value.get("new") === "1";
  const create = () => setQuery({ new: "1" });
  const isFrozen = account.value?.organization.status === "frozen";
  const button = (
    <Button look="main" icon="plus" isDisabled={isFrozen} onPress={create}>
      {words.create}
    </Button>
  );
  return (
    <Sheet
      lead={words.lead}
      actions={
        <>
          <ButtonLink look="quiet" href={`${usagePage.path}?by=key`}>
            {words.usage}
          </ButtonLink>
          {button}
        </>
      }
    >
      <Paged of={keys} path="/api/v1/keys">
        {(all, hasMore) => {
          const shown = hasEnded ? all : all.filter((key) => !isOver(key));
          return (
            <>
              {all.some(isOver) && (
                <div class="chips">
                  <Chip isOn={hasEnded} onPress={() => setEnded(!hasEnded)}>
                    {words.ended}
                  </Chip>
                </div>
              )}
              {shown.length === 0 && !hasMore ? (
                <Empty title={words.emptyTitle} action={button}>
                  {words.emptyLead}
                </Empty>
              ) : (
                <Rows {...{ words, all }} keys={shown} month={month.value} onAsk={setAsked} />
              )}
            </>
          );
        }}
      </Paged>
      {isNew && <NewKey words={words} onClose={() => setQuery({ new: undefined })} onMade={keys.reload} />}
      {asked && (
        <asked.Dialog
          words={words}
          apiKey={asked.apiKey}
          onClose={() => setAsked(undefined)}
          onDone={keys.reload}
        />
      )}
    </Sheet>
  );
}

/** The usage of this month by key. Months are UTC's. */
function thisMonth(now: number) {
  const at = new Date(now);
  const of = (month: number) => new Date(Date.UTC(at.getUTCFullYear(), month)).toISOString();
  const range = { from: of(at.getUTCMonth()), to: of(at.getUTCMonth() + 1) };
  return withQuery("/api/v1/usage/series", { ...range, by: "key", step: "month" });
}

interface RowsProps {
  words: Words;
  /** Undefined until it is read. The keys are shown without it. */
  month: UsageSeries | undefined;
  onAsk: (asked: OpenDialog) => void;
  /** Every key that is read: some of them made others. */
  all: ApiKey[];
}

const isOver = ({ status, expires_at }: ApiKey): boolean =>
  status === "revoked" || (expires_at !== null && Date.parse(expires_at) <= Date.now());

/** Keys that are over stand behind the others, which are in order of their making, the newest first. */
function inOrder(keys: ApiKey[]): ApiKey[] {
  return keys.toSorted(
    (a, b) => Number(isOver(a)) - Number(isOver(b)) || (a.created_at < b.created_at ? 1 : -1),
  );
}

function Rows({ words, keys, all, month, onAsk }: RowsProps & { keys: ApiKey[] }) {
  return (
    <Table
      caption={words.listTitle}
      rows={inOrder(keys)}
      keyOf={({ id }) => id}
      isOff={isOver}
      columns={[
        [
          words.name,
          (key) => (
            <>
              {key.name ? <span class="long">{key.name}</span> : <span class="faint">{words.unnamed}</span>}
              <br />
              <code class="faint">…{key.last_four}</code>
              {key.permissions.includes("manage_keys") && <Badge>{words.manages}</Badge>}
              {key.program && <Badge>{words.program}</Badge>}
            </>
          ),
        ],
        [words.mode, ({ billing_mode }) => words.modes[billing_mode], "wide"],
        [words.project, ({ project_id }) => project_id || "–", "wide"],
        [words.spent, (key) => <Spent words={words} apiKey={key} month={month} />],
        [words.limits, (key) => <Own words={words} apiKey={key} />, "wide"],
        [words.made, (key) => <Made words={words} apiKey={key} all={all} />, "wide"],
        [words.revoke, (key) => <Acts words={words} apiKey={key} onAsk={onAsk} />, "acts"],
      ]}
    />
  );
}

type OfKey = { words: Words; apiKey: ApiKey };

function Acts({ words, apiKey, onAsk }: OfKey & Pick<RowsProps, "onAsk">) {
  if (apiKey.status === "revoked") return <Badge>{words.revoked}</Badge>;
  if (isOver(apiKey)) return <Badge>{words.expired}</Badge>;
  const name = nameOf(apiKey);
  const isDisabled = apiKey.status === "disabled";
  const acts: [string, string, OpenDialog["Dialog"]][] = [
    [words.change, words.changeOf(name), ChangeKey],
    [words.rotate, words.rotateOf(name), RotateKey],
    isDisabled
      ? [words.enable, words.enableOf(name), EnableKey]
      : [words.disable, words.disableOf(name), DisableKey],
    [words.revoke, words.revokeOf(name), RevokeKey],
  ];
  // A program renews its key itself.
  const shown = acts.filter(([, , Dialog]) => !apiKey.program || Dialog !== RotateKey);
  return (
    <div class="row end">
      {isDisabled && <Badge look="warn">{words.disabled}</Badge>}
      {shown.map(([text, label, Dialog]) => (
        <Button key={text} isSmall label={label} onPress={() => onAsk({ Dialog, apiKey })}>
          {text}
        </Button>
      ))}
    </div>
  );
}

function Spent({ words, apiKey: { id, budget, limits }, month }: OfKey & Pick<RowsProps, "month">) {
  const limit = limits?.budget_points;
  const used = month?.series.find(({ name }) => name === id)?.totals.cost_points ?? "0";
  return (
    <>
      {month ? <Points of={used} /> : "–"}
      <br />
      <span class="faint">
        {budget && limit !== undefined
          ? `${words.of(points(budget.spent_points), points(limit))} ${words.periods[budget.period]}`
          : words.noBudget}
      </span>
    </>
  );
}

/** A key's own limits, and what its calls wish by default. */
function Own({ words, apiKey: { limits, defaults } }: OfKey) {
  const names = ["rpm", "tpm", "tpd", "max_concurrency"] as const;
  const texts = names.flatMap((name) => {
    const limit = limits?.[name];
    return limit === undefined ? [] : [words.limitTexts[name](count(limit))];
  });
  const told: Record<string, Record<string, string>> = words.defaultChoices;
  return (
    <>
      {texts.length === 0 ? <span class="faint">{words.noLimits}</span> : texts.join(", ")}
      {Object.entries(defaults ?? {}).map(([name, value]) => (
        <div key={name} class="faint">
          {words.defaults[name as DefaultName]}: {told[name]?.[String(value)] ?? String(value)}
        </div>
      ))}
    </>
  );
}

function Made({ words, apiKey, all }: OfKey & Pick<RowsProps, "all">) {
  const { created_at, created_by_key: parent, descends_from, expires_at } = apiKey;
  const maker = all.find(({ id }) => id === parent);
  const person = descends_from?.name;
  const by = parent
    ? [
        words.madeByKey(maker?.name || `…${(maker?.last_four ?? parent).slice(-4)}`),
        person && words.rootOf(person),
      ]
    : [descends_from ? person && words.madeBy(person) : words.madeElsewhere];
  return (
    <>
      {day(created_at)}
      <br />
      <span class="faint">
        {by.filter(Boolean).join(", ")}
        {expires_at && <span title={minute(expires_at)}> · {words.expires(day(expires_at))}</span>}
      </span>
    </>
  );
}
