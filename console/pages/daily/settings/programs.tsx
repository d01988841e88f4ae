/** The programs that the reader has signed in, in the organization that the page is about. */
import type { Program } from "../../../api-types.ts";
import { away, day, minute } from "../../../format.ts";
import { useRead } from "../../../load.ts";
import { Button, ButtonLink } from "../../../parts/button.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Empty, ProblemNote } from "../../../parts/note.tsx";
import { Section } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { api } from "../../../session.ts";
import { page as docsPage } from "../docs/page.ts";
import { useEnding } from "./use-ending.ts";

type Words = typeof import("./en.ts").words;

export function Programs({ words }: { words: Words }) {
  const programs = useRead<"list_programs">("/api/v1/auth/programs");
  const { end, ending, problem } = useEnding(
    (id) => api.remove<"revoke_key">(`/api/v1/keys/${encodeURIComponent(id)}`),
    programs.reload,
  );
  const nameOf = ({ client, machine }: Program) => (machine ? `${client} (${machine})` : client);
  return (
    <Section title={words.programs} lead={words.programsLead}>
      <ProblemNote problem={problem} />
      <Loaded of={programs} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty
              title={words.noPrograms}
              action={<ButtonLink href={docsPage.path}>{words.toDocs}</ButtonLink>}
            >
              {words.noProgramsLead}
            </Empty>
          ) : (
            <Table
              caption={words.programs}
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                [words.program, nameOf],
                [words.address, ({ ip }) => ip, "wide"],
                [words.paidBy, ({ billing_mode }) => words.payers[billing_mode], "wide"],
                [words.since, ({ created_at }) => day(created_at), "wide"],
                [
                  words.seen,
                  ({ seen_at }) => <span title={minute(seen_at)}>{away(seen_at, Date.now())}</span>,
                ],
                [
                  words.signOut,
                  (program) => (
                    <Button
                      isSmall
                      isBusy={ending === program.id}
                      label={words.signOutOf(nameOf(program))}
                      onPress={() => void end(program.id)}
                    >
                      {words.signOut}
                    </Button>
                  ),
                  "acts",
                ],
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
