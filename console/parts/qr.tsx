import { generate } from "lean-qr/nano";

/** A QR code as one path, dark on light in every theme, because cameras do not read the reverse. */
export function Qr({ text, label }: { text: string; label: string }) {
  const code = generate(text);
  let path = "";
  for (let y = 0; y < code.size; y++)
    for (let x = 0; x < code.size; x++) if (code.get(x, y)) path += `M${x} ${y}h1v1h-1z`;
  const size = code.size + 8;
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`-4 -4 ${size} ${size}`}>
      <path d={path} />
    </svg>
  );
}
