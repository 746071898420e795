// The environment of a template without the values of its secrets: what may lie on a disk.
import { maskSecrets } from "../lib/redact.ts";
import { isSecretName } from "../lib/secret-name.ts";
import { formatEnvTable, parseEnvTable, withEntry } from "./env-table.ts";

/** @returns the flags with the values of secret variables left out, and whose values those are. */
export function withoutSecretValues(env: string): { readonly text: string; readonly names: readonly string[] } {
  let table = parseEnvTable(env);
  const names: string[] = [];
  for (const [at, row] of table.rows.entries()) {
    if (row.kind !== "variable" || row.value === "" || !isSecretName(row.name)) continue;
    names.push(row.name);
    table = withEntry(table, at, { kind: "variable", name: row.name, value: "" });
  }
  // What cannot be read row by row may hold a secret as well.
  if (maskSecrets(table.tail) !== table.tail) {
    names.push(table.tail.trim().slice(0, 20));
    table = { ...table, tail: "" };
  }
  return names.length === 0 ? { text: env, names } : { text: formatEnvTable(table), names };
}
