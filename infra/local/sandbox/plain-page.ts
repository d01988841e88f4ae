/** A page of the sandbox. It has no script, and loads nothing. */

const style = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 0.5rem; border-bottom: 1px solid light-dark(#ddd, #444); overflow-wrap: anywhere; }
`;

interface PlainPage {
  title: string;
  /** In HTML. */
  body: string;
  /** Rules beside those of all these pages. */
  style: string;
  /** It is loaded anew after so many seconds. Absent: never. */
  reloadSeconds?: number;
}

/** The whole page. */
export function plainPage({ title, body, style: own, reloadSeconds }: PlainPage): string {
  const reload =
    reloadSeconds === undefined ? "" : `\n<meta http-equiv="refresh" content="${reloadSeconds}">`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">${reload}
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${style}${own}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
}
