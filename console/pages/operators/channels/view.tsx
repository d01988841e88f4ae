/** Channels of models with their health. With an id behind its path, the page is that channel's own. */
import type { OperatedChannel } from "../../../api-types.ts";
import { count } from "../../../format.ts";
import { listAndOne } from "../../../operators/list-and-one.tsx";
import { useOperatorRead } from "../../../operators/signed-in.ts";
import { Sought } from "../../../operators/sought.tsx";
import { operatorWords } from "../../../operators/words.ts";
import { Button } from "../../../parts/button.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { pageTitle, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { OneChannel } from "./channel.tsx";
import { Health, tookOr } from "./health.tsx";
import { page } from "./page.ts";

type Words = typeof import("./en.ts").words;

export const Page = listAndOne<Words>(page.path, Channels, OneChannel);

function Channels({ words }: { words: Words }) {
  const channels = useOperatorRead<"list_channels">("/api/admin/v1/channels");
  const again = (
    <Button isBusy={channels.isReading} onPress={channels.reload}>
      {operatorWords.value.read}
    </Button>
  );
  return (
    <Sheet lead={words.lead} actions={again}>
      <Loaded of={channels} lines={8}>
        {({ data }) => (
          <Sought
            words={words}
            rows={worstFirst(data)}
            namesOf={({ id, model, provider }) => [id, model, provider]}
          >
            {(rows) => <ChannelRows words={words} rows={rows} />}
          </Sought>
        )}
      </Loaded>
    </Sheet>
  );
}

/** Those that are not good, and then the catalog's order. */
function worstFirst(channels: readonly OperatedChannel[]): readonly OperatedChannel[] {
  return channels.toSorted((one, other) => Number(one.state === "good") - Number(other.state === "good"));
}

function ChannelRows({ words, rows }: { words: Words; rows: readonly OperatedChannel[] }) {
  return (
    <Table
      caption={pageTitle()}
      rows={rows}
      keyOf={({ id, model }) => `${id} ${model}`}
      columns={[
        [
          words.channel,
          ({ id, model, provider }) => (
            <>
              <a href={`${page.path}/${encodeURIComponent(id)}`}>{model}</a>
              <br />
              <span class="faint">{provider}</span> <code class="faint">{id}</code>
            </>
          ),
        ],
        [operatorWords.value.state, (channel) => <Health words={words} of={channel} />],
        [words.answers, ({ last_20_minutes: { answers } }) => count(answers), "number wide"],
        [words.faults, ({ last_20_minutes: { faults } }) => count(faults), "number"],
        [words.limited, ({ last_20_minutes: { limited } }) => count(limited), "number wide"],
        [words.first, ({ last_20_minutes }) => tookOr(last_20_minutes.first_byte_p50_ms), "number wide"],
      ]}
    />
  );
}
