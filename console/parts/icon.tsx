/** Small drawings beside words. They say nothing that the words do not, so screen readers skip them. */

const strokes = {
  overview: "M3 11.5 12 4l9 7.5M6 10v9h12v-9",
  usage: "M4 20V10M10 20V4M16 20v-7M21 20H3",
  calls: "M4 6h16M4 12h16M4 18h10",
  limits: "M4 17a8 8 0 1 1 16 0M12 17l4-6",
  models: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9",
  playground: "M5 5h14v11H9l-4 4z",
  keys: "M14 10a4 4 0 1 0-3.5 4L13 16.5h2V19h2.5v-2.5L14 13M7.5 9.5h.01",
  docs: "M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h7",
  recharge: "M3 7h18v12H3zM3 11h18M7 15h4",
  plan: "M12 3l9 5-9 5-9-5zM3 13l9 5 9-5",
  invoices: "M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6",
  statements: "M5 4h14v16H5zM5 9h14M10 9v11",
  members:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20a6 6 0 0 1 12 0M16 4.5a3.5 3.5 0 0 1 0 6M18 14.5a6 6 0 0 1 3 5.5",
  audit: "M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM9 12l2 2 4-4",
  settings: "M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4",
  join: "M4 12h12M12 7l5 5-5 5M20 4v16",
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

export type IconName = keyof typeof strokes;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={strokes[name]} />
    </svg>
  );
}
