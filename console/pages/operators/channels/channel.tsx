/** One channel: its health in each model that has it, and what operators did to it. */
import type { OperatedChannel } from "../../../api-types.ts";
import { count, minute } from "../../../format.ts";
import type { OneProps } from "../../../operators/list-and-one.tsx";
import { useOperatorRead } from "../../../operators/signed-in.ts";
import { operatorWords } from "../../../operators/words.ts";
import { Button, ButtonLink } from "../../../parts/button.tsx";
import { FactList } from "../../../parts/fact-list.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Section, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { page as modelsPage } from "../models/page.ts";
import { Health, tookOr } from "./health.tsx";

type Words = typeof import("./en.ts").words;

export function OneChannel({ words, id, back }: OneProps<Words>) {
  const channel = useOperatorRead<"show_channel">(`/api/admin/v1/channels/${encodeURIComponent(id)}`);
  const shared = operatorWords.value;
  return (
    <Sheet
      title={`${words.channel} ${id}`}
      lead={words.leave}
      actions={
        <>
          <ButtonLink href={back}>{shared.back}</ButtonLink>
          <Button isBusy={channel.isReading} onPress={channel.reload}>
            {shared.read}
          </Button>
        </>
      }
    >
      <Loaded of={channel}>
        {({ channels, acts }) => (
          <>
            {channels.map((each) => (
              <OfModel key={each.model} words={words} of={each} />
            ))}
            <Section title={words.acts}>
              {acts.length === 0 ? (
                <p class="faint">{words.noActs}</p>
              ) : (
                <Table
                  caption={words.acts}
                  rows={acts}
                  keyOf={({ at }) => at}
                  columns={[
                    [words.at, ({ at }) => minute(at)],
                    [words.what, ({ what }) => what],
                    [words.who, ({ by }) => by],
                    [words.why, ({ why }) => why ?? "–", "wide"],
                  ]}
                />
              )}
            </Section>
          </>
        )}
      </Loaded>
    </Sheet>
  );
}

function OfModel({ words, of }: { words: Words; of: OperatedChannel }) {
  const { model, provider, name, priority, weight, keys, taken_out } = of;
  const spans = [
    [words.short, of.last_2_minutes],
    [words.long, of.last_20_minutes],
  ] as const;
  return (
    <Section title={<a href={`${modelsPage.path}/${encodeURIComponent(model)}`}>{model}</a>}>
      <FactList
        facts={[
          [operatorWords.value.state, <Health key="health" words={words} of={of} />],
          [words.provider, provider],
          [words.model, <code key="name">{name}</code>],
          [words.priority, `${priority}, ${weight}`],
          [
            words.keys,
            keys.length > 0 && (
              <>
                <code>{keys.join(" ")}</code>
                <div class="faint">{words.keysUnknown}</div>
              </>
            ),
          ],
          [words.out, taken_out && words.outBy(taken_out.by, minute(taken_out.at), taken_out.why)],
        ]}
      />
      <Table
        caption={model}
        rows={spans}
        keyOf={([span]) => span}
        columns={[
          [words.at, ([span]) => span],
          [words.answers, ([, { answers }]) => count(answers), "number"],
          [words.faults, ([, { faults }]) => count(faults), "number"],
          [words.limited, ([, { limited }]) => count(limited), "number"],
          [words.first, ([, did]) => tookOr(did.first_byte_p50_ms), "number wide"],
          [words.slowest, ([, did]) => tookOr(did.first_byte_p95_ms), "number wide"],
        ]}
      />
    </Section>
  );
}
