// What installs what a project needs, by the files in its folder that say so.
import { quoteWord } from "../../lib/shell-words.ts";
import { t } from "../../lib/text.ts";

/** `project`: the project itself, by its `pyproject.toml`. */
export type EnvironmentKind = "uv" | "poetry" | "requirements" | "conda" | "project";

export interface ProjectEnvironment {
  readonly kind: EnvironmentKind;
  /** The name of the file that says what is needed. */
  readonly file: string;
}

/** The names of the files in a folder, and the text of its `pyproject.toml` where that is known. */
interface ProjectFiles {
  readonly names: readonly string[];
  readonly pyproject?: string | undefined;
}

/** The preferred first: a lock names every version, and a `pyproject.toml` may be there for the settings of tools alone. */
const KINDS: readonly (readonly [kind: EnvironmentKind, find: (names: readonly string[]) => string | undefined])[] = [
  ["uv", (names) => (names.includes("pyproject.toml") ? named(names, "uv.lock") : undefined)],
  ["poetry", (names) => (names.includes("pyproject.toml") ? named(names, "poetry.lock") : undefined)],
  ["requirements", (names) => named(names, "requirements.txt") ?? [...names].filter(isRequirements).sort()[0]],
  ["conda", (names) => named(names, "environment.yml", "environment.yaml")],
  ["project", (names) => named(names, "pyproject.toml")],
];

const named = (names: readonly string[], ...wanted: readonly string[]): string | undefined =>
  wanted.find((one) => names.includes(one));

/** Such as `requirements-gpu.txt`. */
const isRequirements = (name: string): boolean => /^requirements[-_.][\w.-]{1,60}\.txt$/.test(name);

/** Whether pip could install what such a file describes. */
const canBeInstalled = (pyproject: string): boolean =>
  /^[ \t]*\[[ \t]*(?:project|build-system|tool\.poetry)[ \t]*\]/m.test(pyproject.slice(0, 200_000));

/** The first of each kind, the preferred first. */
export function listEnvironments({ names, pyproject }: ProjectFiles): readonly ProjectEnvironment[] {
  return KINDS.flatMap(([kind, find]) => {
    const file = find(names);
    if (file === undefined) return [];
    const isNone = kind === "project" && pyproject !== undefined && !canBeInstalled(pyproject);
    return isNone ? [] : [{ kind, file }];
  });
}

/**
 * Those between which only a person can decide, because each describes a whole environment; one if there is nothing to decide. What a
 * lock was made of, or was exported from it, doesn't speak against it.
 */
export function listContenders(all: readonly ProjectEnvironment[]): readonly ProjectEnvironment[] {
  const isLocked = all.some(({ kind }) => kind === "uv" || kind === "poetry");
  const whole = all.filter(({ kind }) => kind !== "project" && (kind !== "requirements" || !isLocked));
  return whole.length > 0 ? whole : all;
}

/**
 * Newer images leave their Python to the system's packages, where pip refuses to install anything. These machines are there for one job
 * and thrown away. An older pip, which wouldn't know an option for it, doesn't look at a variable.
 */
const PIP = "PIP_BREAK_SYSTEM_PACKAGES=1 python3 -m pip install --disable-pip-version-check -q";

/** Installs a tool where it is missing. */
const ensure = (tool: string): string => `{ command -v ${tool} >/dev/null || ${PIP} ${tool}; }`;
const ACTIVATE = ". .venv/bin/activate";

/** What installs it for a run, in the shell that its command then runs in. */
function buildSetup({ kind, file }: ProjectEnvironment): string {
  const word = quoteWord(file);
  switch (kind) {
    case "uv":
      return `${ensure("uv")} && uv sync --frozen -q && ${ACTIVATE}`;
    case "poetry":
      return `${ensure("poetry")} && POETRY_VIRTUALENVS_IN_PROJECT=1 poetry install -q --no-interaction && ${ACTIVATE}`;
    case "requirements":
      return `${PIP} -r ${word}`;
    case "conda":
      return `conda env update -q -n base -f ${word}`;
    case "project":
      // Many of these files only have settings of tools, or lie beside programs that are no package: no one said that it can be installed.
      return `${PIP} -e . || echo ${quoteWord(t("Installing the project failed, so the command runs without it."))}`;
  }
}

/** What installs what a folder needs, by the names of its files; empty for nothing. */
export function findSetup(names: readonly string[]): string {
  const [first] = listEnvironments({ names });
  return first === undefined ? "" : buildSetup(first);
}
