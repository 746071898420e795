// Keeps secrets out of every text that leaves the process's memory: by the name of a field and by known value.

const SECRET_NAME =
  /^(authorization|api_?key|instance_api_key|jupyter_token|docker_login_pass|image_login|password|token|secret|webhook_secret|cookie)$/i;
const MASK = "••••";
const DEEPEST = 12;

const known = new Set<string>();

/** Remembers a secret so that it is cut out of any text from now on. Values below 4 characters would blank innocent text. */
export function rememberSecret(value: string): void {
  if (value.length >= 4) known.add(value);
}

/** The text with every remembered secret and every bearer credential masked. */
export function redactText(text: string): string {
  let out = text.replace(/(bearer\s+)\S+/gi, `$1${MASK}`);
  for (const secret of known) {
    for (const form of [secret, encodeURIComponent(secret)]) {
      if (out.includes(form)) out = out.split(form).join(MASK);
    }
  }
  return out;
}

/**
 * A copy fit for a log: secret fields masked by name, secret values by value, deep or long parts cut.
 * Bounded in depth, because a reply 100,000 levels deep would overflow a recursive walk.
 */
export function redactValue(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return redactText(value.length > 2000 ? `${value.slice(0, 2000)}…` : value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEEPEST) return "…";
  if (Array.isArray(value)) return value.slice(0, 50).map((item) => redactValue(item, depth + 1));
  const entries = Object.entries(value).slice(0, 200);
  return Object.fromEntries(
    entries.map(([name, item]) => [
      name,
      (SECRET_NAME.test(name) || name === "env") && item ? MASK : redactValue(item, depth + 1),
    ]),
  );
}
