/** Small drawings beside words. They say nothing that the words do not, so screen readers skip them. */

const drawings = {
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 13l4 4L19 7",
  plus: "M12 5v14M5 12h14",
  alert: "M12 4l9 16H3zM12 10v4M12 17h.01",
  down: "M6 9l6 6 6-6",
  next: "M9 6l6 6-6 6",
  download: "M12 4v11M7 11l5 5 5-5M4 20h16",
} as const;

export type IconName = keyof typeof drawings;

export function Icon({ name }: { name: IconName }) {
  return <Drawing strokes={drawings[name]} />;
}

export function Drawing({ strokes }: { strokes: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={strokes} />
    </svg>
  );
}
