/** Customers, by a part of their name. With an id behind its path, the page is that customer's own. */
import { useState } from "preact/hooks";
import { withQuery } from "../../../api.ts";
import { day, planName } from "../../../format.ts";
import { listAndOne } from "../../../operators/list-and-one.tsx";
import { State } from "../../../operators/rows.tsx";
import { nextPage, useOperatorRead } from "../../../operators/signed-in.ts";
import { operatorWords } from "../../../operators/words.ts";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { Empty } from "../../../parts/note.tsx";
import { Paged } from "../../../parts/paged.tsx";
import { Points } from "../../../parts/points.tsx";
import { pageTitle, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { setQuery } from "../../../router.ts";
import { Customer } from "./customer.tsx";
import { page } from "./page.ts";

type Words = typeof import("./en.ts").words;

export const Page = listAndOne<Words>(page.path, Customers, Customer);

function Customers({ words, asked }: { words: Words; asked: URLSearchParams }) {
  const name = asked.get("name") ?? "";
  const path = withQuery("/api/admin/v1/organizations", { name });
  const first = useOperatorRead<"list_organizations">(path);
  const shared = operatorWords.value;
  return (
    <Sheet lead={`${words.lead} ${words.limited}`}>
      <Search key={name} words={words} name={name} />
      <Paged
        of={first}
        path={path}
        read={nextPage}
        empty={<Empty title={words.none}>{words.noneLead}</Empty>}
      >
        {(customers) => (
          <Table
            caption={pageTitle()}
            rows={customers}
            keyOf={({ id }) => id}
            isOff={({ status }) => status === "frozen"}
            columns={[
              [
                words.name,
                ({ id, name }) => (
                  <>
                    <a href={`${page.path}/${id}`}>{name || id}</a>
                    <br />
                    <code class="faint">{id}</code>
                  </>
                ),
              ],
              [shared.state, ({ status }) => <State of={status} />],
              [
                words.plan,
                ({ subscription }) => (subscription ? planName(subscription) : words.noPlan),
                "wide",
              ],
              [
                words.balance,
                ({ balance_points }) => (balance_points === null ? "–" : <Points of={balance_points} />),
                "number",
              ],
              [shared.since, ({ created_at }) => day(created_at), "wide"],
            ]}
          />
        )}
      </Paged>
    </Sheet>
  );
}

/** It asks when it is sent, and not with each letter. */
function Search({ words, name }: { words: Words; name: string }) {
  const [text, setText] = useState(name);
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        setQuery({ name: text.trim() });
      }}
    >
      <Field label={words.search} value={text} onValue={setText} autocomplete="off" maxLength={100} />
      <Button type="submit">{words.find}</Button>
    </form>
  );
}
