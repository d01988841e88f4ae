/** Keys: what they may do, what they spent, making one and revoking one. */
import { useState } from "preact/hooks";
import type { ApiKey, List } from "../api-types.ts";
import { count, day, minute, points } from "../format.ts";
import { useAction, useLoad } from "../load.ts";
import type { PageProps } from "../page-row.ts";
import { Badge } from "../parts/badge.tsx";
import { Button, ButtonLink } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Empty, ProblemNote } from "../parts/note.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { Table } from "../parts/table.tsx";
import { paths } from "../paths.ts";
import { query, setQuery } from "../router.ts";
import { account, api } from "../session.ts";
import type { words as english } from "../words/en/keys.ts";
import { frameWords } from "../words.ts";
import { NewKey } from "./new-key.tsx";

type Words = typeof english;

export function Page({ words }: PageProps<Words>) {
  const keys = useLoad((asked) => api.get<List<ApiKey>>("/api/v1/keys", asked), "keys");
  const [ending, setEnding] = useState<ApiKey>();
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
      title={words.title}
      lead={words.lead}
      actions={
        <>
          <ButtonLink look="quiet" href={`${paths.usage}?by=key`}>
            {words.usage}
          </ButtonLink>
          {button}
        </>
      }
    >
      <Loaded of={keys} lines={6}>
        {(first) =>
          first.data.length === 0 ? (
            <Empty title={words.emptyTitle} action={button}>
              {words.emptyLead}
            </Empty>
          ) : (
            <Pages words={words} first={first} onEnd={setEnding} />
          )
        }
      </Loaded>
      {isNew && <NewKey words={words} onClose={() => setQuery({ new: undefined })} onMade={keys.reload} />}
      {ending && (
        <Revoke words={words} apiKey={ending} onClose={() => setEnding(undefined)} onDone={keys.reload} />
      )}
    </Sheet>
  );
}

interface RowsProps {
  words: Words;
  onEnd: (key: ApiKey) => void;
}

function Pages({ first, ...props }: RowsProps & { first: List<ApiKey> }) {
  const [more, setMore] = useState<{ of: List<ApiKey>; pages: List<ApiKey>[] }>({ of: first, pages: [] });
  const pages = more.of === first ? more.pages : [];
  const { run, isRunning, problem } = useAction();
  const last = pages.at(-1) ?? first;
  const next = () =>
    run(async () => {
      const page = await api.get<List<ApiKey>>(
        `/api/v1/keys?after=${encodeURIComponent(last.last_id ?? "")}`,
      );
      setMore({ of: first, pages: [...pages, page] });
    });
  const keys = [first, ...pages].flatMap(({ data }) => data);
  return (
    <>
      <Rows {...props} keys={keys} />
      <ProblemNote problem={problem} />
      {last.has_more && (
        <div class="row">
          <Button isBusy={isRunning} onPress={next}>
            {frameWords.value.more}
          </Button>
        </div>
      )}
    </>
  );
}

const isOver = ({ status, expires_at }: ApiKey): boolean =>
  status === "revoked" || (expires_at !== null && Date.parse(expires_at) <= Date.now());

/** Keys that are over stand behind the others, which are in order of their making, the newest first. */
function inOrder(keys: ApiKey[]): ApiKey[] {
  return keys.toSorted(
    (a, b) => Number(isOver(a)) - Number(isOver(b)) || (a.created_at < b.created_at ? 1 : -1),
  );
}

function Rows({ words, keys, onEnd }: RowsProps & { keys: ApiKey[] }) {
  return (
    <Table
      caption={words.listTitle}
      rows={inOrder(keys)}
      keyOf={({ id }) => id}
      isOff={isOver}
      columns={[
        {
          name: words.name,
          cell: (key) => (
            <>
              {key.name || <span class="faint">{words.unnamed}</span>}
              <br />
              <code class="faint">…{key.last_four}</code>
              {key.permissions.includes("manage_keys") && <Badge>{words.manages}</Badge>}
            </>
          ),
        },
        { name: words.mode, isWide: true, cell: ({ billing_mode }) => words.modes[billing_mode] },
        { name: words.project, isWide: true, cell: ({ project_id }) => project_id || "–" },
        { name: words.spent, cell: (key) => <Spent words={words} apiKey={key} /> },
        { name: words.limits, isWide: true, cell: (key) => <OwnLimits words={words} apiKey={key} /> },
        { name: words.made, isWide: true, cell: (key) => <Made words={words} apiKey={key} /> },
        {
          name: <span class="unseen">{words.revoke}</span>,
          id: "revoke",
          isNumber: true,
          cell: (key) => <End words={words} apiKey={key} onEnd={onEnd} />,
        },
      ]}
    />
  );
}

type OfKey = { words: Words; apiKey: ApiKey };

function End({ words, apiKey, onEnd }: OfKey & Pick<RowsProps, "onEnd">) {
  if (apiKey.status === "revoked") return <Badge>{words.revoked}</Badge>;
  if (isOver(apiKey)) return <Badge>{words.expired}</Badge>;
  const name = apiKey.name || apiKey.last_four;
  return (
    <Button isSmall label={words.revokeOf(name)} onPress={() => onEnd(apiKey)}>
      {words.revoke}
    </Button>
  );
}

function Spent({ words, apiKey: { budget, limits } }: OfKey) {
  const limit = limits?.budget_points;
  if (!budget || limit === undefined) return <span class="faint">{words.noBudget}</span>;
  return (
    <>
      <span class="number">{words.of(points(budget.spent_points), points(limit))}</span>
      <br />
      <span class="faint">{words.periods[budget.period]}</span>
    </>
  );
}

function OwnLimits({ words, apiKey: { limits } }: OfKey) {
  const names = ["rpm", "tpm", "tpd", "max_concurrency"] as const;
  const texts = names.flatMap((name) => {
    const limit = limits?.[name];
    return limit === undefined ? [] : [words.limitTexts[name](count(limit))];
  });
  if (texts.length === 0) return <span class="faint">{words.noLimits}</span>;
  return <>{texts.join(", ")}</>;
}

function Made({ words, apiKey: { created_at, created_by, expires_at } }: OfKey) {
  return (
    <>
      {day(created_at)}
      <br />
      <span class="faint">
        {created_by?.name && words.madeBy(created_by.name)}
        {created_by?.name && expires_at && ", "}
        {expires_at && <span title={minute(expires_at)}>{words.expires(day(expires_at))}</span>}
      </span>
    </>
  );
}

function Revoke({ words, apiKey, onClose, onDone }: OfKey & { onClose: () => void; onDone: () => void }) {
  const { run, isRunning, problem } = useAction();
  const revoke = async () => {
    const done = await run(async () => {
      await api.remove(`/api/v1/keys/${encodeURIComponent(apiKey.id)}`);
      return true;
    });
    if (!done) return;
    onDone();
    onClose();
  };
  return (
    <Dialog title={words.revokeTitle} onClose={onClose}>
      <div class="stack">
        <p>{words.revokeLead(apiKey.name || `…${apiKey.last_four}`)}</p>
        <ProblemNote problem={problem} />
        <div class="row end">
          <Button onPress={onClose}>{frameWords.value.cancel}</Button>
          <Button look="danger" isBusy={isRunning} onPress={revoke}>
            {words.revoke}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
