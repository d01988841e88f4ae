/** The address that the console was asked at, such as `https://console.example.com`. It has no domain but its URL's. */
export function originOf({ host = "localhost" }: { host?: string | undefined }): string {
  const isHere = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host);
  return `${isHere ? "http" : "https"}://${host}`;
}
