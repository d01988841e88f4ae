/** Which requests are of the operators' API. Every request asks it, and few load the rest of this room. */

/** Whether a request is for the operators' API, also where there is no such route. */
export function isAdmin({ path }: { path: string }): boolean {
  return path === "/api/admin" || path.startsWith("/api/admin/");
}

/** The id of an organization in a path; undefined for what has no such form. */
export function readOrganizationId(text = ""): string | undefined {
  return /^org_\w{26}$/.test(text) ? text : undefined;
}
