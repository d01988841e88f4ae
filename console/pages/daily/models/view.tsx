/** Models, as the address looks for them. With an id behind its path, the page is that model's own. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Model } from "../../../api-types.ts";
import { allPoints, count, day, shortCount } from "../../../format.ts";
import { useListBehind } from "../../../list-behind.ts";
import { useRead } from "../../../load.ts";
import {
  type Ability,
  abilities,
  type FoundModel,
  found,
  isPrice,
  type ModelSearch,
  modelPath,
  orders,
  search,
  searchOf,
} from "../../../model-search.ts";
import type { PageProps } from "../../../page.ts";
import { Button } from "../../../parts/button.tsx";
import { Chip } from "../../../parts/chip.tsx";
import { Field, Filter, Select } from "../../../parts/field.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Empty } from "../../../parts/note.tsx";
import { pageTitle, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { go, setQuery } from "../../../router.ts";
import { frameWords } from "../../../words.ts";
import { OneModel } from "./model.tsx";
import { AccessBadge, payer } from "./model-access.tsx";
import { page } from "./page.ts";

type Words = typeof import("./en.ts").words;

export function Page({ words, rest }: PageProps<Words>) {
  const models = useRead<"list_models">("/api/v1/models");
  const asked = useListBehind(rest, page.path);
  return (
    <>
      {rest && <OneModel key={rest} words={words} models={models} rest={rest} asked={asked} />}
      {asked && (
        <div hidden={rest !== ""}>
          <Sheet lead={words.lead}>
            <Loaded of={models} lines={8}>
              {({ data }) => <Models words={words} models={data} asked={asked} />}
            </Loaded>
          </Sheet>
        </div>
      )}
    </>
  );
}

const contexts = [32_000, 128_000, 200_000, 400_000, 1_000_000];
/** How many rows are drawn at first, and with each wish for more. */
const [firstRows, moreRows] = [50, 100];
/** A reader who types fast changes the address after a pause only. */
const pauseMs = 250;

function Models({
  words,
  models,
  asked,
}: Pick<FiltersProps, "words" | "models"> & { asked: URLSearchParams }) {
  const pays = payer();
  const all = useMemo(() => models.map((model) => found(model, pays)), [models, pays.plan, pays.wallet]);
  const fromAddress = searchOf(asked);
  const [text, setText] = useState(fromAddress.text);
  const [price, setPrice] = useState(asked.get("price") ?? "");
  useEffect(() => {
    const timer = setTimeout(() => {
      if (text !== (asked.get("q") ?? "") || price !== (asked.get("price") ?? ""))
        setQuery({ q: text, price });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text, price]);
  const wanted: ModelSearch = { ...fromAddress, text, price: isPrice(price) ? Number(price) : undefined };
  const left = search(all, wanted);
  const clear = () => {
    setText("");
    setPrice("");
    go(page.path, { replace: true });
  };
  return (
    <>
      <Filters {...{ words, models, wanted, text, setText, price, setPrice }} />
      <Abilities words={words} wanted={wanted} />
      <p role="status" class="faint">
        {words.left(count(left.length), count(all.length))}
      </p>
      {left.length > 0 ? (
        <Rows key={JSON.stringify(wanted)} words={words} models={left} />
      ) : (
        <Empty title={words.emptyTitle} action={<Button onPress={clear}>{words.clear}</Button>}>
          {words.emptyLead}
        </Empty>
      )}
    </>
  );
}

interface FiltersProps {
  words: Words;
  models: readonly Model[];
  wanted: ModelSearch;
  text: string;
  setText: (text: string) => void;
  price: string;
  setPrice: (price: string) => void;
}

function Filters({ words, models, wanted, text, setText, price, setPrice }: FiltersProps) {
  const vendors = [...new Set(models.map(({ owned_by }) => owned_by))].toSorted();
  const context = wanted.context > 0 ? String(wanted.context) : "";
  const sizes = contexts.map((size) => [String(size), words.atLeast(shortCount(size))] as const);
  return (
    <div class="filters">
      <Field type="search" label={words.name} autocomplete="off" value={text} onValue={setText} />
      <Filter
        label={words.vendor}
        value={wanted.vendor}
        options={vendors.map((each) => [each, each])}
        onValue={(vendor) => setQuery({ vendor })}
      />
      <Filter
        label={words.context}
        value={context}
        options={sizes}
        onValue={(size) => setQuery({ context: size })}
      />
      <Field
        label={words.priceMost}
        size={8}
        inputMode="decimal"
        autocomplete="off"
        value={price}
        onValue={setPrice}
        wrong={price.trim() !== "" && !isPrice(price) && words.priceWrong}
      />
      <Select
        label={words.order}
        value={wanted.order}
        options={orders.map((each) => [each, words.orders[each]] as const)}
        onValue={(sort) => setQuery({ sort })}
      />
    </div>
  );
}

function Abilities({ words, wanted }: { words: Words; wanted: ModelSearch }) {
  const toggled = (name: Ability) =>
    abilities.filter((each) => wanted.abilities.includes(each) !== (each === name)).join();
  return (
    <fieldset class="chips">
      <legend class="unseen">{words.can}</legend>
      <Chip isOn={wanted.callable} onPress={() => setQuery({ mine: wanted.callable ? "" : "1" })}>
        {words.callable}
      </Chip>
      {abilities.map((name) => (
        <Chip
          key={name}
          isOn={wanted.abilities.includes(name)}
          onPress={() => setQuery({ can: toggled(name) })}
        >
          {words.abilities[name]}
        </Chip>
      ))}
    </fieldset>
  );
}

function Rows({ words, models }: { words: Words; models: FoundModel[] }) {
  const [shown, setShown] = useState(firstRows);
  return (
    <>
      <Table
        caption={pageTitle()}
        rows={models.slice(0, shown)}
        keyOf={({ model }) => model.id}
        columns={[
          [words.model, ({ model }) => <Name words={words} model={model} />],
          [
            words.can,
            (each) => (
              <span class="faint">
                {abilities
                  .flatMap((name) => (each.abilities.has(name) ? [words.abilities[name]] : []))
                  .join(" · ")}
              </span>
            ),
            "wide",
          ],
          [
            words.context,
            ({ model: { context_tokens } }) => (context_tokens > 0 ? shortCount(context_tokens) : "–"),
            "number wide",
          ],
          [words.price, (each) => <PriceOf words={words} found={each} />, "number"],
        ]}
      />
      {models.length > shown && (
        <div class="row">
          <Button onPress={() => setShown(shown + moreRows)}>{frameWords.value.more}</Button>
        </div>
      )}
    </>
  );
}

function Name({ words, model }: { words: Words; model: Model }) {
  return (
    <>
      <a href={`${page.path}/${modelPath(model.id)}`}>{model.display_name || model.id}</a>{" "}
      <AccessBadge words={words} model={model} />
      <br />
      <code class="faint">{model.id}</code>
    </>
  );
}

function PriceOf({ words, found: { price, model } }: { words: Words; found: FoundModel }) {
  if (!price) return <>–</>;
  const { input, output, each, isTiered, per } = price;
  const [least = "", most = ""] = each ?? [];
  const range = least === most ? allPoints(least) : `${allPoints(least)}–${allPoints(most)}`;
  const out = output !== undefined && Number(output) > 0 ? ` / ${allPoints(output)}` : "";
  return (
    <>
      {input === undefined ? range : allPoints(input) + out}
      {isTiered && "+"}
      {model.discount_rate !== "1" && ` × ${allPoints(model.discount_rate)}`}
      <br />
      <small class="faint">
        {words.pers[per]}
        {model.next_price && ` · ${words.changesOn(day(model.next_price.from))}`}
      </small>
    </>
  );
}
