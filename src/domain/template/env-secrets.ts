// A template's environment without the values of secrets, so that it can be written to disk.
import { maskSecrets } from "../../lib/redact.ts";
import { isSecretName } from "../../lib/secret-name.ts";
import { type EnvRow, formatEntry, formatEnvTable, parseEnvTable } from "./env-table.ts";

/** Listed in place of a variable's name for text that can't be read row by row and may hold a secret. */
export const UNREADABLE = "…";

const mayHoldSecret = (text: string): boolean => maskSecrets(text) !== text;

/**
 * @returns the flags without the values of secret variables, and the names of the variables whose values are left out.
 */
export function withoutSecretValues(env: string): { readonly text: string; readonly names: readonly string[] } {
  const { rows, tail } = parseEnvTable(env);
  const names = new Set<string>();
  const kept = rows.flatMap((row): EnvRow[] => {
    if (row.kind === "variable" && row.value !== "" && (isSecretName(row.name) || mayHoldSecret(row.value))) {
      names.add(row.name);
      return [{ ...row, value: "", source: formatEntry({ kind: "variable", name: row.name, value: "" }) }];
    }
    if (row.kind === "variable" || !mayHoldSecret(row.source)) return [row];
    names.add(UNREADABLE);
    return [];
  });
  const isTailOpen = tail.trim() !== "";
  if (isTailOpen) names.add(UNREADABLE);
  if (names.size === 0) return { text: env, names: [] };
  return { text: formatEnvTable({ rows: kept, tail: isTailOpen ? "" : tail }), names: [...names] };
}

/** Fills empty secret variables with the values of the same names from other flags, such as those the service holds. */
export function fillSecretValues(env: string, from: string): string {
  const values = new Map(
    parseEnvTable(from).rows.flatMap((row) => (row.kind === "variable" ? [[row.name, row.value] as const] : [])),
  );
  const table = parseEnvTable(env);
  const rows = table.rows.map((row): EnvRow => {
    const value = row.kind === "variable" && row.value === "" ? values.get(row.name) : undefined;
    if (row.kind !== "variable" || value === undefined || value === "") return row;
    return { ...row, value, source: formatEntry({ kind: "variable", name: row.name, value }) };
  });
  return formatEnvTable({ ...table, rows });
}

/** Which of these secret variables have no value in the flags. */
export function missingValues(env: string, names: readonly string[]): readonly string[] {
  const wanted = new Set(names);
  const rows = parseEnvTable(env).rows;
  return rows.flatMap((row) => (row.kind === "variable" && row.value === "" && wanted.has(row.name) ? [row.name] : []));
}
