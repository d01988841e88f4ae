/** What calls are looked for by: the id of one, a time, a key, a project, a user, a tag and the code of an error. The address keeps it. */
import { useState } from "preact/hooks";
import { useLoad } from "../../../load.ts";
import { Button } from "../../../parts/button.tsx";
import { Field, Filter } from "../../../parts/field.tsx";
import { go, setQuery } from "../../../router.ts";
import { api, may } from "../../../session.ts";
import type { words as english } from "./en.ts";
import { page } from "./page.ts";

/** What is looked for besides. The fields come, and the keys are read, when somebody opens them. */
export function CallSearch({ words, asked }: { words: typeof english; asked: URLSearchParams }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="figures" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.more}</summary>
      {isOpen && <Search words={words} asked={asked} />}
    </details>
  );
}

const texts = ["project", "user", "tag", "code"] as const;
const ends = ["from", "to"] as const;
const isEnd = (name: string) => (ends as readonly string[]).includes(name);

function Search({ words, asked }: { words: typeof english; asked: URLSearchParams }) {
  const { filters } = words;
  const [start] = useState<Record<string, string>>(() =>
    Object.fromEntries([
      ...[...texts, "key"].map((name) => [name, asked.get(name) ?? ""]),
      ...ends.map((name) => [name, (asked.get(name) ?? "").slice(0, 16)]),
    ]),
  );
  const [form, setForm] = useState(start);
  const field = (name: string) => ({
    value: form[name] ?? "",
    onValue: (value: string) => setForm({ ...form, [name]: value }),
  });
  const mayName = may("manage_own_keys");
  const keys = useLoad(
    async (how) => (mayName ? (await api.get<"list_keys">("/api/v1/keys", how)).data : []),
    "keys",
  );
  const known = (keys.value ?? []).map(({ id, name, last_four }) => [id, `${name} …${last_four}`] as const);
  const submit = (event: Event) => {
    event.preventDefault();
    const id = form.id?.trim();
    if (id) return go(`${page.path}/${encodeURIComponent(id)}`);
    // What nobody touched stays as the address has it: an empty project is a filter too, and a time may have seconds.
    const touched = Object.entries(form).filter(([name, value]) => value !== start[name]);
    setQuery(
      Object.fromEntries(
        touched.map(([name, value]) => [name, value && (isEnd(name) ? `${value}:00Z` : value.trim())]),
      ),
    );
  };
  return (
    <form class="filters" onSubmit={submit}>
      <Field label={filters.id} autocomplete="off" {...field("id")} />
      {ends.map((name) => (
        <Field key={name} type="datetime-local" label={filters[name]} {...field(name)} />
      ))}
      {known.length > 0 && <Filter label={filters.key} options={known} {...field("key")} />}
      {texts.map((name) => (
        <Field key={name} label={filters[name]} autocomplete="off" {...field(name)} />
      ))}
      <Button type="submit">{words.find}</Button>
    </form>
  );
}
