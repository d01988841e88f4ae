import type { ComponentChildren } from "preact";

/** The name of a fact and what is known of it. */
export type Fact = [name: string, value: ComponentChildren];

/** What is known of one thing. A fact without a value is left out. */
export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
