/**
 * What everybody may read without a key (shared/base/http/README.md "Pages"). No page calls AWS, so none counts for a
 * limit. This file imports only types, or the bundler would make the gateway's start larger.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { accepts, folderOf, keptReply } from "./kept-files.ts";
import type { HttpReply, HttpRequest } from "./message.ts";

/** What a bundle has in it (infra/bundles/pages.ts writes the file). */
export interface About {
  /** Of the code. */
  version: string;
  /** The version that the catalog gives itself, and the name of its content. */
  catalog: { version: string; digest: string };
}

export const aboutName = "about.json";

/** The file of each path. Of `/` there are two, and the request's `accept` decides. */
export const pageNames = {
  html: "welcome.html",
  json: "welcome.json",
  "/openapi.json": "openapi.json",
  "/docs": "docs.html",
} as const;

/** What files below `/docs/` begin with in the folder. */
export const assetPrefix = "docs-";

/** Nothing of another origin is loaded, nothing in the page itself is run, and nobody may frame it. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The reference page has its icons as data URLs.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const htmlHeaders = {
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
};

type PageRequest = Pick<HttpRequest, "path" | "headers" | "draining">;

/** Answers a page, or undefined where no file is. HEAD gets what GET gets. Rejects when the folder cannot be read. */
export async function answerPage(
  asked: PageRequest,
  { pages }: { pages: string },
): Promise<HttpReply | undefined> {
  return asked.path === "/health"
    ? health(asked, await aboutOf(pages))
    : await fileReply(asked, await folderOf(pages));
}

/** Whether this process answers. It asks no table: a table's fault would take every process out of its balancer. */
function health({ draining = false }: PageRequest, about: About | undefined): HttpReply {
  const body = {
    status: draining ? "draining" : "ok",
    checked: ["process"],
    not_checked: ["tables", "queue", "secrets", "providers"],
    ...about,
  };
  return {
    status: draining ? 503 : 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

/** What the bundle has. A missing file is no fault. It is read each time: `npm start` lays another catalog beside it. */
async function aboutOf(path: string): Promise<About | undefined> {
  try {
    return JSON.parse(await readFile(join(path, aboutName), "utf8")) as About;
  } catch {
    return undefined;
  }
}

type Folder = Awaited<ReturnType<typeof folderOf>>;

async function fileReply(asked: PageRequest, folder: Folder): Promise<HttpReply | undefined> {
  const { path, headers } = asked;
  const name = nameOf(path, headers.accept);
  // An asset has the hash of its bytes in its name. Everything else is asked for anew, and mostly is not modified.
  const lifetime = path.startsWith("/docs/") ? "public, max-age=31536000, immutable" : "no-cache";
  const common = { vary: "accept, accept-encoding", "cache-control": lifetime };
  return await keptReply({ name, headers, common, html: htmlHeaders }, folder);
}

function nameOf(path: string, accept: string | undefined): string {
  if (path === "/") return accepts(accept, "text/html") ? pageNames.html : pageNames.json;
  // Names are looked up in the index, so a path leads to no other file.
  if (path.startsWith("/docs/")) return `${assetPrefix}${path.slice("/docs/".length)}`;
  return path === "/docs" ? pageNames["/docs"] : pageNames["/openapi.json"];
}
