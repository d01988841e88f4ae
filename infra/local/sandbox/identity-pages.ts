/** The two pages of the local identity provider. */
import { escapeHtml } from "../dashboard/chart.ts";
import { plainPage } from "./plain-page.ts";

const style = `
label { display: block; margin: 0.75rem 0; }
input[type=text], input:not([type]) { display: block; width: 100%; font: inherit; padding: 0.25rem 0.5rem; }
`;

const page = (title: string, body: string): string => plainPage({ title, body, style });

const field = (name: string, label: string, value = ""): string =>
  `<label>${label}<input name="${name}" value="${escapeHtml(value)}"></label>`;

/** Where somebody says who they are. The form leads back to the same address with what they say. */
export function pageOfPeople(asked: URLSearchParams): string {
  const hidden = [...asked].map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return page(
    "Sandbox identity provider",
    `<p>It believes whatever you say. A real provider asks for a password.</p>
<form action="/authorize">
${hidden.join("\n")}
${field("subject", "E-mail address", asked.get("login_hint") ?? "")}
${field("name", "Name")}
${field("groups", "Groups, with commas between them")}
<label><input type="checkbox" name="verified" checked> The address is verified</label>
<button>Sign in</button>
</form>`,
  );
}

/** What a connection to this provider is set with, and the records of its DNS. */
export function pageOfRecords(
  { issuer, client_id, client_secret }: Readonly<Record<"issuer" | "client_id" | "client_secret", string>>,
  records: ReadonlyMap<string, readonly string[]>,
): string {
  const rows = [...records].map(
    ([name, texts]) => `<tr><td>${escapeHtml(name)}</td><td>${escapeHtml(texts.join(" "))}</td></tr>`,
  );
  return page(
    "Sandbox identity provider",
    `<p>Issuer <code>${escapeHtml(issuer)}</code>, client ID <code>${client_id}</code>, client secret
<code>${client_secret}</code>.</p>
<h2>DNS</h2>
<p>The console of this machine finds these TXT records. An empty value takes one away.</p>
<table><thead><tr><th scope="col">Name</th><th scope="col">TXT</th></tr></thead><tbody>${rows.join("")}</tbody></table>
<form action="/dns" method="post">
${field("name", "Name")}
${field("value", "Value")}
<button>Publish</button>
</form>`,
  );
}
