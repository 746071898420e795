// Problems of a template's variables and ports, row by row.
import { isSecretVariable } from "../../../lib/secret-value.ts";
import { t, toPlainText } from "../../../lib/text.ts";
import { isDockerPort, isPortMapping } from "../ports.ts";
import { type EnvRow, type EnvTable, parseEnvTable } from "./env-table.ts";
import { canNameVariable } from "./environment.ts";

interface EnvProblem {
  readonly severity: "error" | "warning" | "note";
  readonly message: string;
  /** The row of the table; undefined if the problem concerns all of it. */
  readonly row?: number;
}

/** The maximum number of ports a public service opens on one instance. */
const MOST_PORTS = 64;
/** No one reads more, and a foreign text may cause hundreds of thousands. */
const MOST_PROBLEMS = 100;

type Found = Omit<EnvProblem, "row"> | undefined;

/** What docker takes is someone's way to write it, and the service's to read. */
function portProblem(host: string, container: string): Found {
  const said = host === "" ? container : `${host}:${container}`;
  if (isPortMapping(said)) return undefined;
  const isRange = /\d-\d/.test(said);
  const range = t("Port ranges aren't supported. Add a row for each port.");
  const shape = t("Enter ports as host:container, such as 8080:8080.");
  if (isDockerPort(said)) return { severity: "warning", message: isRange ? range : shape };
  if (said.split(":").length !== 2) return { severity: "error", message: shape };
  if (isRange) return { severity: "error", message: range };
  const message = t("Ports are numbers from 1 to 65535. For UDP, add /udp to the container port.");
  return { severity: "error", message };
}

function rowProblem(row: EnvRow): Found {
  if (row.kind === "raw")
    return {
      severity: "warning",
      message: t("“{0}” isn't recognized. The text is kept unchanged.", toPlainText(row.source, 60)),
    };
  if (row.kind === "port") return portProblem(row.host, row.container);
  if (row.kind === "option") return undefined;
  if (row.name === "") return { severity: "error", message: t("Enter a name for the variable.") };
  if (row.name === "__proto__") return { severity: "error", message: t("This name can't be used.") };
  if (!canNameVariable(row.name))
    return {
      // Docker takes any name, which no shell can read.
      severity: /[\s\0]/.test(row.name) ? "error" : "warning",
      message: t("Variable names can contain only letters, digits, and _, and can't start with a digit."),
    };
  if (/[\r\n]/.test(row.value))
    return {
      severity: "error",
      message: t("Values can't contain line breaks, because the service reads the flags as one line."),
    };
  if (/[\0\p{Cs}]/u.test(row.value))
    return { severity: "error", message: t("Remove the invalid character (NUL or a broken emoji).") };
  return undefined;
}

/** Where the values are kept: in a template that everyone can read, in one of the account, or only with a launch. */
type EnvKeeper = "public" | "private" | "launch";

/** Problems of the whole string and of each row. */
export function findEnvProblems(text: string, keeper: EnvKeeper): EnvProblem[] {
  const table = parseEnvTable(text);
  const problems = whole(table, text);
  for (const [at, row] of table.rows.entries()) {
    if (problems.length >= MOST_PROBLEMS) return problems;
    problems.push(...of(row, at, keeper));
  }
  return [...problems, ...twice(table)].slice(0, MOST_PROBLEMS);
}

function of(row: EnvRow, at: number, keeper: EnvKeeper): EnvProblem[] {
  const problem = rowProblem(row);
  if (problem) return [{ ...problem, row: at }];
  const isSecret = row.kind === "variable" && row.value !== "" && isSecretVariable(row.name, row.value);
  if (!isSecret || keeper === "launch") return [];
  if (keeper === "public") {
    const message = t("This looks like a secret, and everyone can read a public template.");
    return [{ severity: "warning", row: at, message }];
  }
  const message = t("This looks like a secret. The service stores it in the template as plain text.");
  return [{ severity: "note", row: at, message }];
}

function whole({ rows, tail }: EnvTable, text: string): EnvProblem[] {
  const problems: EnvProblem[] = [];
  if (tail.trim() !== "") {
    const message = t(
      "Everything from “{0}” on couldn't be read and is kept unchanged: a quote isn't closed or a flag has no value.",
      toPlainText(tail, 40),
    );
    problems.push({ severity: "warning", message });
  }
  if (/\0/.test(text)) problems.push({ severity: "error", message: t("Remove the invalid character (NUL).") });
  const ports = rows.filter(({ kind }) => kind === "port").length;
  if (ports > MOST_PORTS)
    problems.push({
      severity: "warning",
      message: t("{0} ports. The service may open at most {1}.", ports, MOST_PORTS),
    });
  return problems;
}

function twice({ rows }: EnvTable): EnvProblem[] {
  const seen = new Set<string>();
  const problems: EnvProblem[] = [];
  for (const [at, row] of rows.entries()) {
    if (row.kind !== "variable" && row.kind !== "port") continue;
    const [, way = "tcp"] = row.kind === "port" ? row.container.split("/") : [];
    const key = row.kind === "variable" ? `-e ${row.name}` : `-p ${row.host}/${way}`;
    const message =
      row.kind === "variable"
        ? t("{0} is set twice. The last value is used.", toPlainText(row.name, 60))
        : t("Host port {0} is mapped twice.", toPlainText(row.host, 60));
    if (row.kind === "port" && row.host === "") continue;
    if (problems.length >= MOST_PROBLEMS) return problems;
    if (seen.has(key)) problems.push({ severity: "warning", row: at, message });
    seen.add(key);
  }
  return problems;
}
