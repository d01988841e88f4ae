/** The organization's own keys at providers: which there are, when they serve, and what calls with them cost. */
import { useState } from "preact/hooks";
import type { ProviderKey } from "../../../api-types.ts";
import { allPoints, minute } from "../../../format.ts";
import { useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Button } from "../../../parts/button.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Empty } from "../../../parts/note.tsx";
import { pageTitle, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { api } from "../../../session.ts";
import { GiveKey } from "./give-key.tsx";

type Words = typeof import("./en.ts").words;
type Fee = { share: string | null; call: string | null } | null;

type OpenDialog = { what: "give"; given?: ProviderKey } | { what: "remove"; given: ProviderKey };

export function Page({ words }: PageProps<Words>) {
  const keys = useRead<"list_provider_keys">("/api/v1/provider-keys");
  const [asked, setAsked] = useState<OpenDialog>();
  const close = () => setAsked(undefined);
  const free = (keys.value?.data ?? []).filter(({ use }) => use === null).map(({ provider }) => provider);
  const give = keys.value?.fee && free.length > 0 && (
    <Button look="main" icon="plus" onPress={() => setAsked({ what: "give" })}>
      {words.give}
    </Button>
  );
  return (
    <Sheet lead={words.lead} actions={give || undefined}>
      <Loaded of={keys} lines={4}>
        {({ data, fee }) => (
          <>
            <p class="hint">{feeOf(fee, words)}</p>
            <Keys words={words} rows={data.filter(({ use }) => use !== null)} onAsk={setAsked} />
          </>
        )}
      </Loaded>
      {asked?.what === "give" && (
        <GiveKey words={words} providers={free} given={asked.given} onClose={close} onDone={keys.reload} />
      )}
      {asked?.what === "remove" && (
        <Confirm
          title={words.removeOf(asked.given.provider)}
          action={words.remove}
          onClose={close}
          act={async () => {
            const path = `/api/v1/provider-keys/${encodeURIComponent(asked.given.provider)}` as const;
            await api.remove<"remove_provider_key">(path);
            keys.reload();
          }}
        >
          {words.removeLead}
        </Confirm>
      )}
    </Sheet>
  );
}

function feeOf(fee: Fee, words: Words): string {
  if (!fee) return words.notOffered;
  if (fee.share === null) return words.feeCall(allPoints(fee.call ?? "0"));
  // A share has six decimals at most, so its hundredfold is exact here.
  return words.feeShare(String(Math.round(Number(fee.share) * 1e6) / 1e4));
}

interface KeysProps {
  words: Words;
  rows: readonly ProviderKey[];
  onAsk: (asked: OpenDialog) => void;
}

function Keys({ words, rows, onAsk }: KeysProps) {
  if (rows.length === 0) return <Empty title={words.none}>{words.noneLead}</Empty>;
  return (
    <Table
      caption={pageTitle()}
      rows={rows}
      keyOf={({ provider }) => provider}
      columns={[
        [words.provider, ({ provider }) => provider],
        [words.key, ({ last_four }) => <code>{words.lastFour(last_four ?? "")}</code>],
        [words.use, ({ use }) => use && words.uses[use]],
        [words.since, ({ set_at }) => set_at && minute(set_at), "wide"],
        [
          words.edit,
          (given) => (
            <div class="row end">
              <Button
                isSmall
                label={words.editOf(given.provider)}
                onPress={() => onAsk({ what: "give", given })}
              >
                {words.edit}
              </Button>
              <Button
                isSmall
                label={words.removeOf(given.provider)}
                onPress={() => onAsk({ what: "remove", given })}
              >
                {words.remove}
              </Button>
            </div>
          ),
        ],
      ]}
    />
  );
}
