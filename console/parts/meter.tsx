import type { ComponentChildren } from "preact";
import { count, percent } from "../format.ts";

interface MeterProps {
  label: string;
  used: number;
  limit: number;
  /** In the place of the two counts. */
  text?: ComponentChildren;
  note?: ComponentChildren;
}

/** How much of a bound is used. */
export function Meter({ label, used, limit, text, note }: MeterProps) {
  const part = limit > 0 ? used / limit : 0;
  const level = part >= 1 ? "full" : part >= 0.8 ? "high" : "";
  return (
    <div class={`meter ${level}`}>
      <div class="meter-head">
        <span>{label}</span>
        <span class="number">{text ?? `${count(used)} / ${count(limit)}`}</span>
      </div>
      <meter aria-label={label} min={0} max={Math.max(limit, 1)} value={Math.min(used, limit)}>
        {percent(part)}
      </meter>
      {note && <p class="faint">{note}</p>}
    </div>
  );
}
