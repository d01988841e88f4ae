/** Light or dark, as the reader chose or as the machine is. */
import { signal } from "./state.ts";

export const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

export const theme = signal<Theme>(themes.find((each) => each === localStorage.getItem("theme")) ?? "system");

/** Shows a theme and keeps it for the next visit. */
export function showTheme(wanted: Theme): void {
  theme.value = wanted;
  localStorage.setItem("theme", wanted);
  document.documentElement.dataset.theme = wanted;
}
