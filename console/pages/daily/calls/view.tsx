/** Calls, the newest first, as the address filters them. With an id behind its path, the page is that call's receipt. */
import type { Call } from "../../../api-types.ts";
import { clock, count, minute, took } from "../../../format.ts";
import { useListBehind } from "../../../list-behind.ts";
import { useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Badge } from "../../../parts/badge.tsx";
import { Button, ButtonLink } from "../../../parts/button.tsx";
import { Filter, Select } from "../../../parts/field.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Empty } from "../../../parts/note.tsx";
import { Paged } from "../../../parts/paged.tsx";
import { Points } from "../../../parts/points.tsx";
import { Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { go, setQuery } from "../../../router.ts";
import { frameWords } from "../../../words.ts";
import { page as keysPage } from "../keys/page.ts";
import { looks, Receipt } from "../receipt/receipt.tsx";
import { CallSearch } from "./call-search.tsx";
import { page } from "./page.ts";

type Words = typeof import("./en.ts").words;

const outcomes = ["completed", "truncated", "failed", "refused"] as const;
/** What the address hands on to the API as it is. */
const given = ["from", "to", "model", "key", "project", "user", "tag", "outcome", "code"] as const;

/** The list stays behind a receipt that was opened from it, with all that was read of it. */
export function Page({ words, rest }: PageProps<Words>) {
  const asked = useListBehind(rest, page.path);
  return (
    <>
      {rest && <Receipt key={rest} words={words} id={rest} back={`${page.path}?${asked ?? ""}`} />}
      {asked && (
        <div hidden={rest !== ""}>
          <Calls words={words} asked={asked} />
        </div>
      )}
    </>
  );
}

/** The path of the list. A project may be called nothing, so an empty one is handed on too. */
function listPath(asked: URLSearchParams) {
  const parameters = new URLSearchParams();
  for (const name of given) {
    const value = asked.get(name);
    if (value || (name === "project" && value !== null)) parameters.set(name, value);
  }
  return `/api/v1/calls?${parameters}` as const;
}

/** Of the first page, and of those that follow on wish. */
const [firstRows, moreRows] = ["&limit=50", "&limit=200"];

function Calls({ words, asked }: { words: Words; asked: URLSearchParams }) {
  const path = listPath(asked);
  const first = useRead<"list_calls">(`${path}${firstRows}`);
  const models = useRead<"list_models">("/api/v1/models");
  const known = (models.value?.data ?? []).map(({ id, display_name }) => [id, display_name || id] as const);
  return (
    <Sheet lead={words.lead}>
      <div class="filters">
        <Filter
          label={words.model}
          value={asked.get("model") ?? ""}
          options={known}
          onValue={(model) => setQuery({ model })}
        />
        <Select
          label={words.outcome}
          value={asked.get("outcome") ?? ""}
          options={[
            ["", frameWords.value.all] as const,
            ...outcomes.map((each) => [each, words.outcomes[each]] as const),
          ]}
          onValue={(outcome) => setQuery({ outcome })}
        />
        <Chips words={words} asked={asked} />
      </div>
      <CallSearch key={path} words={words} asked={asked} />
      <Paged of={first} path={path} more={moreRows} file="calls">
        {(calls, hasMore) =>
          calls.length > 0 ? (
            <Rows words={words} calls={calls} />
          ) : hasMore ? (
            // A page may be empty though more follow, if its filter leaves little.
            <Empty title={words.emptyTitle}>{words.emptyPage}</Empty>
          ) : (
            <Nothing words={words} asked={asked} />
          )
        }
      </Paged>
    </Sheet>
  );
}

/** Filters that other pages set, each with what removes it. */
function Chips({ words, asked }: { words: Words; asked: URLSearchParams }) {
  const { filters } = words;
  const [from, to] = [asked.get("from"), asked.get("to")];
  const project = asked.get("project");
  const range = (from || to) && `${from ? minute(from) : "…"} – ${to ? minute(to) : "…"}`;
  const chips = [
    { names: ["from", "to"], title: filters.range, text: range },
    { names: ["project"], title: filters.project, text: project === "" ? words.noProject : project },
    ...(["key", "user", "tag", "code"] as const).map((name) => {
      return { names: [name], title: filters[name], text: asked.get(name) };
    }),
  ];
  return (
    <>
      {chips.map(
        ({ names, title, text }) =>
          text && (
            <button
              key={title}
              type="button"
              class="chip"
              aria-label={words.remove(`${title}: ${text}`)}
              onClick={() => setQuery(Object.fromEntries(names.map((name) => [name, undefined])))}
            >
              <span class="faint">{title}</span> <span>{text}</span> <Icon name="close" />
            </button>
          ),
      )}
    </>
  );
}

function Nothing({ words, asked }: { words: Words; asked: URLSearchParams }) {
  const isFiltered = given.some((name) => asked.has(name));
  return (
    <Empty
      title={words.emptyTitle}
      action={
        isFiltered ? (
          <Button onPress={() => go(page.path)}>{words.clear}</Button>
        ) : (
          <ButtonLink href={keysPage.path}>{words.keys}</ButtonLink>
        )
      }
    >
      {words.emptyLead}
    </Empty>
  );
}

function Rows({ words, calls }: { words: Words; calls: Call[] }) {
  const tokens = (usage: Call["usage"], names: (keyof Call["usage"])[]) =>
    count(names.reduce((sum, name) => sum + usage[name], 0));
  return (
    <Table
      caption={words.listTitle}
      rows={calls}
      keyOf={({ id }) => id}
      columns={[
        [words.time, ({ id, created_at }) => <a href={`${page.path}/${id}`}>{clock(created_at)}</a>],
        [words.model, ({ model }) => model ?? "–"],
        [
          words.outcome,
          ({ outcome, corrected, error }) => (
            <>
              <Badge look={looks[outcome]}>{words.outcomes[outcome]}</Badge>
              {corrected && <Badge>{words.corrected}</Badge>}
              {error && <small title={error.message}> {error.code}</small>}
            </>
          ),
          "wide",
        ],
        [
          words.tokens,
          ({ usage }) =>
            `${tokens(usage, ["input_tokens", "cache_read_tokens", "cache_write_tokens"])} / ${tokens(usage, ["output_tokens"])}`,
          "number wide",
        ],
        [
          words.took,
          ({ created_at, ended_at }) => ended_at && took(Date.parse(ended_at) - Date.parse(created_at)),
          "number wide",
        ],
        [
          words.cost,
          ({ cost_points, billing_mode }) =>
            billing_mode === "subscription" ? (
              <span class="faint">{words.byPlan}</span>
            ) : (
              <Points of={cost_points} />
            ),
          "number",
        ],
      ]}
    />
  );
}
