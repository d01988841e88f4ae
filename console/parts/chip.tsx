/** Something that is switched on and off, or chosen, among others. */
export function Chip({ isOn, onPress, children }: { isOn: boolean; onPress: () => void; children: string }) {
  return (
    <button type="button" class="chip number" aria-pressed={isOn ? "true" : "false"} onClick={onPress}>
      {children}
    </button>
  );
}
