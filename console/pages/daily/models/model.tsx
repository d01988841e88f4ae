/** One model: what it takes, gives and costs, how its providers do, and a program for each SDK. */
import type { List, Model } from "../../../api-types.ts";
import { count, day, percent, planName, second, took } from "../../../format.ts";
import { type Loading, useRead } from "../../../load.ts";
import { abilities, accessOf, found } from "../../../model-search.ts";
import { Badge } from "../../../parts/badge.tsx";
import { ButtonLink } from "../../../parts/button.tsx";
import { Copy } from "../../../parts/copy.tsx";
import { type Fact, FactList } from "../../../parts/fact-list.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Empty, Note } from "../../../parts/note.tsx";
import { Section, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { may } from "../../../session.ts";
import { settings } from "../../../settings.ts";
import { familiesFor } from "../../../snippets.ts";
import { page as callsPage } from "../calls/page.ts";
import { page as docsPage } from "../docs/page.ts";
import { page as playgroundPage } from "../playground/page.ts";
import { SdkCode } from "../sdk/sdk-code.tsx";
import { AccessBadge, payer } from "./model-access.tsx";
import { PriceCard } from "./model-price-card.tsx";
import { page } from "./page.ts";

type Words = typeof import("./en.ts").words;

interface OneModelProps {
  words: Words;
  models: Loading<List<Model>>;
  /** The id, as the address has it. */
  rest: string;
  /** The list's query, where the reader came from it. */
  asked: URLSearchParams | undefined;
}

export function OneModel({ words, models, rest, asked }: OneModelProps) {
  const id = decoded(rest);
  const model = models.value?.data.find((each) => each.id === id || each.aliases.includes(id));
  return (
    <Sheet
      title={model?.display_name || id}
      lead={<code>{model?.id ?? id}</code>}
      actions={<Copy text={model?.id ?? id} />}
    >
      <p>
        <a href={`${page.path}?${asked ?? ""}`}>← {words.back}</a>
      </p>
      <Loaded of={models} lines={8}>
        {() =>
          model ? <Parts words={words} model={model} /> : <Empty title={words.gone}>{words.goneLead}</Empty>
        }
      </Loaded>
    </Sheet>
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function Parts({ words, model }: { words: Words; model: Model }) {
  return (
    <>
      <Access words={words} model={model} />
      <Facts words={words} model={model} />
      <PriceCard words={words} model={model} />
      <Providers words={words} model={model} />
      <Code words={words} model={model} />
    </>
  );
}

/** Who may call it, and the ways from here. */
function Access({ words, model }: { words: Words; model: Model }) {
  const access = accessOf(model, payer());
  const isCallable = access === "plan" || access === "wallet";
  const isChat = model.capabilities.includes("chat");
  const id = encodeURIComponent(model.id);
  return (
    <>
      {!isCallable && (
        <Note look="warn">
          <p>{access === "permission" ? words.needsPermission : words.needsPlan}</p>
        </Note>
      )}
      <div class="row">
        {isCallable && isChat && may("manage_own_keys") && settings.gateway_url !== "" && (
          <ButtonLink look="main" icon="next" href={`${playgroundPage.path}?model=${id}`}>
            {words.tryIt}
          </ButtonLink>
        )}
        <ButtonLink href={`${callsPage.path}?model=${id}`}>{words.itsCalls}</ButtonLink>
        <AccessBadge words={words} model={model} />
      </div>
    </>
  );
}

function Facts({ words, model }: { words: Words; model: Model }) {
  const { inputs, capabilities, context_tokens, output_tokens, reasoning_efforts, aliases, plans } = model;
  const can = found(model, payer()).abilities;
  const gives = (["chat", "embeddings", "images", "video"] as const).filter((name) => can.has(name));
  const rest = abilities.filter((name) => can.has(name) && !gives.includes(name as never));
  const facts: Fact[] = [
    [words.vendor, model.owned_by],
    [words.context, context_tokens > 0 && words.tokens(count(context_tokens))],
    [words.longest, output_tokens > 0 && words.tokens(count(output_tokens))],
    [words.takes, [words.text, ...inputs.map((name) => words.media[name] ?? name)].join(", ")],
    [words.gives, gives.map((name) => words.makes[name]).join(", ")],
    [words.can, rest.map((name) => words.abilities[name]).join(", ")],
    [words.efforts, reasoning_efforts.join(", ")],
    [words.streams, capabilities.includes("stream") && words.yes],
    [words.since, day(model.created * 1000)],
    [words.plans, plans.map(planName).join(", ") || words.noPlan],
    [words.aliases, aliases.length > 0 && aliases.map((name) => <Alias key={name} name={name} />)],
  ];
  return (
    <Section title={words.facts}>
      <FactList facts={facts} />
    </Section>
  );
}

/** Each on a line of its own. */
const Alias = ({ name }: { name: string }) => (
  <div>
    <code>{name}</code>
  </div>
);

const stateLooks = { good: "good", slow: "warn", flaky: "warn", limited: "warn", open: "bad" } as const;

function Providers({ words, model }: { words: Words; model: Model }) {
  const path = `/api/v1/models/${encodeURIComponent(model.id)}/routes` as const;
  const routes = useRead<"list_routes">(path);
  return (
    <Section title={words.providers} lead={words.providersLead}>
      <Loaded of={routes} lines={2}>
        {({ at, data }) => (
          <>
            <Table
              caption={words.providers}
              rows={data}
              keyOf={({ provider }) => provider}
              columns={[
                [
                  words.provider,
                  ({ provider, asked }) => (
                    <>
                      {provider}
                      {data.length > 1 && <div class="faint">{words.asked[asked]}</div>}
                    </>
                  ),
                ],
                [
                  words.state,
                  ({ state }) => (
                    <Badge look={state ? stateLooks[state] : "plain"}>
                      {words.states[state ?? "unknown"]}
                    </Badge>
                  ),
                ],
                [words.uptime, ({ uptime_15m: of }) => (of === null ? "–" : percent(of)), "number"],
                [
                  words.firstByte,
                  ({ first_byte_ms: { p50 } }) => (p50 === null ? "–" : took(p50)),
                  "number wide",
                ],
                [
                  words.speed,
                  ({ tokens_per_second: of }) => (of === null ? "–" : count(Math.round(of))),
                  "number wide",
                ],
              ]}
            />
            <p class="faint">
              {words.seen(second(at))} {data.every(({ state }) => state === null) && words.unseen}
            </p>
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Code({ words, model }: { words: Words; model: Model }) {
  const url = settings.gateway_url;
  const families = url === "" ? [] : familiesFor(url, model);
  if (families.length === 0) return null;
  return (
    <Section title={words.code} lead={words.codeLead} actions={<a href={docsPage.path}>{words.toDocs}</a>}>
      <SdkCode words={words.sdk} families={families} />
    </Section>
  );
}
