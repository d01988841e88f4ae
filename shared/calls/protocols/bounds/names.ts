/** Names that a protocol takes, in the place of names that it does not. */
import { hash } from "node:crypto";
import type { NameForm } from "./table.ts";

/** So many digits of a digest keep the names of one request apart. */
const digits = 8;

/** A name in this form, the same on every turn. `longer` digits of the digest tell names apart that would be alike. */
export function nameIn(form: NameForm, name: string, longer = digits): string {
  if (form.pattern.test(name)) return name;
  if (form.digest) return hash("sha256", name).slice(0, form.most);
  const begin = form.letter_first && !/^[a-zA-Z_]/.test(name) ? "_" : "";
  const written = begin + name.replace(form.other, "_");
  // Characters, not code units: half a character is no text.
  const kept = [...written].slice(0, form.most - longer - 1).join("");
  return `${kept}_${hash("sha256", name).slice(0, longer)}`;
}

/** The names of one request, there and back. */
export interface BoundedNames {
  /** What the provider is told. */
  there(name: string): string;
  /** What the client said for a name that the provider gives. A name that it never was told stays. */
  back(name: string): string;
  /** Whether any name is told in another form. */
  changed: boolean;
}

/** Names that all have the form already, as those of most requests do. */
function asGiven(form: NameForm): BoundedNames {
  return { there: (name) => nameIn(form, name), back: (name) => name, changed: false };
}

/** The names of a request, in a form that keeps them apart. */
export function namesIn(form: NameForm, given: Iterable<string>): BoundedNames {
  const names = [...new Set(given)];
  if (names.every((name) => form.pattern.test(name))) return asGiven(form);
  const there = new Map<string, string>();
  const back = new Map<string, string>();
  for (const name of names) if (form.pattern.test(name)) back.set(name, name);
  for (const name of names) {
    let told = nameIn(form, name);
    // Somebody may have chosen a name that looks like another's digest.
    for (let longer = digits * 2; (back.get(told) ?? name) !== name; longer += digits) {
      told = nameIn(form, name, longer);
    }
    back.set(told, name);
    there.set(name, told);
  }
  return {
    there: (name) => there.get(name) ?? nameIn(form, name),
    back: (name) => back.get(name) ?? name,
    changed: true,
  };
}
