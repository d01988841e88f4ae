/** What was sent to one webhook, and what came of it. */
import type { Delivery, Webhook } from "../../../api-types.ts";
import { clock, minute } from "../../../format.ts";
import { useAction, useRead } from "../../../load.ts";
import { Badge } from "../../../parts/badge.tsx";
import { Button } from "../../../parts/button.tsx";
import { Empty, ProblemNote } from "../../../parts/note.tsx";
import { Paged } from "../../../parts/paged.tsx";
import { Section } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { api } from "../../../session.ts";

type Words = typeof import("./en.ts").words;

interface DeliveriesProps {
  words: Words;
  webhook: Webhook;
  path: `/api/v1/webhooks/${string}`;
}

/** Read again every ten seconds, so that a reader sees what arrives. */
export function Deliveries({ words, webhook, path }: DeliveriesProps) {
  const list = `${path}/deliveries` as const;
  const deliveries = useRead<"list_deliveries">(list, { everyMs: 10_000 });
  const { run, isRunning, problem } = useAction();
  const replay = ({ id }: Delivery) =>
    run(async () => {
      await api.post<"replay_delivery">(`${path}/replay`, { message: id });
      deliveries.reload();
    });
  return (
    <Section title={words.of(words.deliveries, webhook.url)}>
      <ProblemNote problem={problem} />
      <Paged
        of={deliveries}
        path={list}
        empty={<Empty title={words.noDeliveries}>{words.noDeliveriesLead}</Empty>}
      >
        {(data) => (
          <Table
            caption={words.deliveries}
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              [
                words.message,
                ({ kind, id }) => (
                  <>
                    {kind}
                    <br />
                    <code class="faint">{id}</code>
                  </>
                ),
              ],
              [words.result, (delivery) => <Result words={words} delivery={delivery} />],
              [words.attempts, ({ attempts }) => attempts, "number wide"],
              [words.at, ({ created_at }) => clock(created_at), "wide"],
              [
                words.replay,
                (delivery) =>
                  webhook.enabled && (
                    <Button
                      isSmall
                      isDisabled={isRunning || delivery.state === "waiting"}
                      label={words.of(words.replay, delivery.id)}
                      onPress={() => replay(delivery)}
                    >
                      {words.replay}
                    </Button>
                  ),
                "acts",
              ],
            ]}
          />
        )}
      </Paged>
    </Section>
  );
}

const looks = { waiting: "plain", delivered: "good", failed: "bad", dropped: "warn" } as const;

function Result({ words, delivery }: { words: Words; delivery: Delivery }) {
  const { state, last_attempt: last, next_attempt_at: next } = delivery;
  const why = last?.failure && (last.status ? words.answered(last.status) : words.failures[last.failure]);
  return (
    <>
      <Badge look={looks[state]}>{words.states[state]}</Badge>{" "}
      <span class="faint">{[why, why && next && words.next(minute(next))].filter(Boolean).join(", ")}</span>
    </>
  );
}
