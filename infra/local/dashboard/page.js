/** In the browser: shows the values of a minute under the pointer or by keys, and takes newer charts every few seconds. */

const refreshMs = 5_000;
const pause = document.querySelector("#pause");
const state = document.querySelector("#state");
let isPaused = false;

/** The chart of a plot, as the server put it there. */
const chartOf = (plot) => JSON.parse(plot.dataset.chart);

const numbers = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

/** Shows the values of one minute, by its place in the chart. */
function point(plot, at) {
  const { unit, minutes, lines } = chartOf(plot);
  const place = Math.min(Math.max(at, 0), minutes.length - 1);
  const rows = lines
    .filter(({ values }) => values[place] !== null && values[place] !== undefined)
    .map(({ label, values }) => `${label}: ${numbers.format(values[place])}`);
  const tip = plot.querySelector(".tip");
  tip.textContent = [`${minutes[place]} UTC, ${unit}`, ...(rows.length > 0 ? rows : ["no value"])].join("\n");
  tip.hidden = false;
  const share = place / (minutes.length - 1);
  // The box stands beside the line, on the side that has more room.
  tip.style.left = share < 0.5 ? `calc(${share * 100}% + 8px)` : "auto";
  tip.style.right = share < 0.5 ? "auto" : `calc(${(1 - share) * 100}% + 8px)`;
  plot.querySelector(".cursor").setAttribute("d", `M${place} 0V100`);
  plot.dataset.at = String(place);
}

function leave(plot) {
  plot.querySelector(".tip").hidden = true;
  plot.querySelector(".cursor").setAttribute("d", "");
  delete plot.dataset.at;
}

const plotOf = (event) => (event.target instanceof Element ? event.target.closest(".plot") : null);

document.addEventListener("pointermove", (event) => {
  const plot = plotOf(event);
  for (const other of document.querySelectorAll(".plot[data-at]")) {
    if (other !== plot && other !== document.activeElement) leave(other);
  }
  if (!plot) return;
  const { left, width } = plot.getBoundingClientRect();
  const { minutes } = chartOf(plot);
  point(plot, Math.round(((event.clientX - left) / width) * (minutes.length - 1)));
});

document.addEventListener("focusout", (event) => {
  const plot = plotOf(event);
  if (plot) leave(plot);
});

document.addEventListener("keydown", (event) => {
  const plot = plotOf(event);
  if (!plot) return;
  const last = chartOf(plot).minutes.length - 1;
  const at = Number(plot.dataset.at ?? last);
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
  if (event.key === "Escape") leave(plot);
  if (next === undefined) return;
  event.preventDefault();
  point(plot, next);
  // A screen reader hears what the box says.
  state.textContent = plot.querySelector(".tip").textContent;
});

/** Puts newer content in the place of an element. What a reader has opened or looks at stays so. */
function replace(element, newer) {
  const opened = [...element.querySelectorAll("details")].map(({ open }) => open);
  const plot = element.querySelector(".plot");
  const isFocused = plot !== null && plot === document.activeElement;
  const at = plot?.dataset.at;
  const scrolled = element.querySelector(".scroll")?.scrollTop ?? 0;
  element.innerHTML = newer.innerHTML;
  element.querySelectorAll("details").forEach((each, index) => {
    each.open = opened[index] ?? false;
  });
  const scroll = element.querySelector(".scroll");
  if (scroll) scroll.scrollTop = scrolled;
  const fresh = element.querySelector(".plot");
  if (fresh && isFocused) fresh.focus();
  if (fresh && at !== undefined) point(fresh, Number(at));
}

async function refresh() {
  if (isPaused || document.hidden) return;
  try {
    const answer = await fetch("/", { headers: { accept: "text/html" }, cache: "no-store" });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const newer = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const element of document.querySelectorAll(".card, #alarms")) {
      const same = newer.getElementById(element.id);
      if (same) replace(element, same);
    }
    state.classList.remove("stale");
    if (!document.querySelector(".plot[data-at]:focus")) {
      state.textContent = `As of ${new Date().toISOString().slice(11, 19)} UTC, every ${refreshMs / 1000} seconds.`;
    }
  } catch {
    state.classList.add("stale");
    state.textContent = "The gateway does not answer. These are the values from before it went.";
  }
}

pause.hidden = false;
pause.addEventListener("click", () => {
  isPaused = !isPaused;
  pause.textContent = isPaused ? "Go on" : "Pause";
  pause.setAttribute("aria-pressed", String(isPaused));
  if (!isPaused) void refresh();
});
document.addEventListener("visibilitychange", () => void refresh());
setInterval(() => void refresh(), refreshMs);
void refresh();
