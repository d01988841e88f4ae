/** An array after a change of its items; the same one where each change gave its item back. */
export function mapItems<Item, Next>(items: readonly Item[], change: (item: Item) => Next): (Item | Next)[] {
  let next: (Item | Next)[] | undefined;
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as Item;
    const changed = change(item);
    if ((changed as unknown) === item) continue;
    next ??= [...items];
    next[at] = changed;
  }
  return next ?? (items as Item[]);
}
