// A template's environment without the values of secrets, so that it can be written to disk.
import { holdsOwnSecret, MASK, maskSecrets } from "../../../lib/redact.ts";
import { isSecretName } from "../../../lib/secret-name.ts";
import { maskNamedSecrets } from "../../../lib/secret-text.ts";
import { isSecretVariable } from "../../../lib/secret-value.ts";
import { type EnvRow, formatEntry, formatEnvTable, parseEnvTable } from "./env-table.ts";

/** Listed in place of a variable's name for text that can't be read row by row and may hold a secret. */
export const UNREADABLE = "…";

type VariableRow = Extract<EnvRow, { readonly kind: "variable" }>;
const isVariable = (row: EnvRow): row is VariableRow => row.kind === "variable";

const withoutValue = (row: VariableRow): EnvRow => ({
  ...row,
  value: "",
  source: formatEntry({ kind: "variable", name: row.name, value: "" }),
});

const mayHoldSecret = (text: string): boolean => maskSecrets(text) !== text;

/**
 * @returns the flags without the values of secret variables, and the names of the variables whose values are left out.
 */
export function withoutSecretValues(env: string): { readonly text: string; readonly names: readonly string[] } {
  const { rows, tail } = parseEnvTable(env);
  const names = new Set<string>();
  const kept = rows.flatMap((row): EnvRow[] => {
    if (isVariable(row) && row.value !== "" && (isSecretVariable(row.name, row.value) || mayHoldSecret(row.value))) {
      names.add(row.name);
      return [withoutValue(row)];
    }
    if (isVariable(row) || !mayHoldSecret(row.source)) return [row];
    names.add(UNREADABLE);
    return [];
  });
  const isTailOpen = tail.trim() !== "";
  if (isTailOpen) names.add(UNREADABLE);
  if (names.size === 0) return { text: env, names: [] };
  return { text: formatEnvTable({ rows: kept, tail: isTailOpen ? "" : tail }), names: [...names] };
}

/** Fills empty variables with the values of the same names from other flags, such as those the service holds. */
export function fillSecretValues(env: string, from: string): string {
  return fillValues(env, from, () => true);
}

/** The n-th variable of a name gets the value of the n-th one there. */
function fillValues(env: string, from: string, mayFill: (row: VariableRow) => boolean): string {
  const given = Map.groupBy(parseEnvTable(from).rows.filter(isVariable), ({ name }) => name);
  const table = parseEnvTable(env);
  const rows = table.rows.map((row): EnvRow => {
    const found = isVariable(row) ? given.get(row.name)?.shift() : undefined;
    const isFilled = isVariable(row) && row.value === "" && found && found.value !== "" && mayFill(found);
    return isFilled ? { ...found, lead: row.lead } : row;
  });
  return formatEnvTable({ ...table, rows });
}

/**
 * A file leaves out these. By the text alone: another window, which knows other secrets of a server, must fill in the same
 * variables. The person's own keys are known wherever their templates can be pushed.
 */
const isLeftOut = ({ name, value }: VariableRow): boolean =>
  value !== "" && (isSecretVariable(name, value) || maskNamedSecrets(value, MASK) !== value || holdsOwnSecret(value));

/** Flags for a file, and what they left out or couldn't. */
interface FileEnv {
  readonly text: string;
  /** Variables without the values that the service holds. */
  readonly names: readonly string[];
  /** What can't be read row by row is there as it is stored, and may hold a secret. */
  readonly mayHoldSecret: boolean;
}

/** The stored flags for a file: without the values of secrets, except those that the file has already. */
export function toFileEnv(stored: string, inFile = ""): FileEnv {
  const there = parseEnvTable(inFile);
  const { rows, tail } = parseEnvTable(stored);
  const isThere = (row: VariableRow) =>
    there.rows.some((one) => isVariable(one) && one.name === row.name && one.value === row.value);
  const names = new Set<string>();
  const kept = rows.map((row) => {
    if (!isVariable(row) || !isLeftOut(row) || isThere(row)) return row;
    names.add(row.name);
    return withoutValue(row);
  });
  const isNew = (text: string) => text.trim() !== "" && !inFile.includes(text.trim());
  const isAnyKept = rows.some((row) => !isVariable(row) && mayHoldSecret(row.source) && isNew(row.source));
  return { text: formatEnvTable({ rows: kept, tail }), names: [...names], mayHoldSecret: isNew(tail) || isAnyKept };
}

/** The flags of a file, which leaves out the values of secrets, with the values that the service holds. */
export function withStoredSecrets(inFile: string, stored: string): string {
  return inFile === toFileEnv(stored).text ? stored : fillValues(inFile, stored, isLeftOut);
}

/** The secret variables that have no value. */
export function listEmptySecrets(env: string): readonly string[] {
  return listEmptyVariables(env).filter(isSecretName);
}

/** The variables that have no value. */
export function listEmptyVariables(env: string): readonly string[] {
  const rows = parseEnvTable(env).rows.filter(isVariable);
  return rows.filter(({ value }) => value === "").map(({ name }) => name);
}

/** Which of these secret variables have no value in the flags. Whether they have what can't be read again, no one can tell. */
export function listMissingValues(env: string, names: readonly string[]): readonly string[] {
  const wanted = new Set(names);
  return [...listEmptyVariables(env), UNREADABLE].filter((name) => wanted.has(name));
}
