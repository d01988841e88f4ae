/**
 * The place of each page in the address bar. The build hands these paths to the server
 * (infra/bundles/console-assets.ts).
 */
export const paths = {
  overview: "/",
  models: "/models",
  playground: "/playground",
  keys: "/keys",
  docs: "/docs",
  usage: "/usage",
  calls: "/calls",
  limits: "/limits",
  recharge: "/recharge",
  plan: "/plan",
  invoices: "/invoices",
  statements: "/statements",
  members: "/members",
  audit: "/audit",
  settings: "/settings",
  join: "/join",
} as const;

export type PageId = keyof typeof paths;

/** The page at a path, and what follows its own path: `/calls/req_1` is `calls` with `req_1`. Undefined: there is none. */
export function pageAt(path: string): { id: PageId; rest: string } | undefined {
  const [, first = "", ...others] = path.split("/");
  const found = (Object.keys(paths) as PageId[]).find((id) => paths[id] === `/${first}`);
  return found && { id: found, rest: others.join("/") };
}
