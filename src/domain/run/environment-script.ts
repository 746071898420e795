// The script that makes a project's environment on a machine: beside what the image has, and never in its place.
import { quoteWord } from "../../lib/shell-words.ts";
import { t } from "../../lib/text.ts";
import type { EnvironmentKind, ProjectEnvironment } from "./environment.ts";

/** Where images have programs that a login without a profile doesn't find. */
const PLACES = 'PATH="$PATH:/venv/main/bin:/opt/conda/bin:/usr/local/bin:$HOME/.local/bin"; export PATH';

/** `$py` is the image's Python: the one that has PyTorch, else the first. */
const FIND_PYTHON = [
  "py= first=",
  `for p in "\${VIRTUAL_ENV:+$VIRTUAL_ENV/bin/python}" /venv/main/bin/python /opt/conda/bin/python "$(command -v python3)"; do`,
  '  [ -n "$p" ] && [ -x "$p" ] || continue',
  '  [ -n "$first" ] || first=$p',
  `  "$p" -c 'import importlib.util as u, sys; sys.exit(u.find_spec("torch") is None)' 2>/dev/null && { py=$p; break; }`,
  "done",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the machine's shell reads it.
  "py=${py:-$first}",
];

const PATHS = `"$py" -c 'import sys, sysconfig
if sys.prefix != sys.base_prefix: print("\\n".join(sorted({sysconfig.get_path(n) for n in ("purelib", "platlib")})))'`;
const SITE = `"$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"`;

/**
 * `.venv` sees all that the image's Python has, and what is installed goes into it alone. The packages of a Python that is in an
 * environment itself wouldn't be seen: an environment stands on the Python below it. One that came from another computer doesn't run here,
 * and one that was begun and not finished has a Python that runs, and sees nothing.
 */
const listVenvSteps = (done: string): readonly string[] => [
  ...FIND_PYTHON,
  `[ -n "$py" ] || { echo ${quoteWord(t("This machine has no Python."))}; exit 1; }`,
  `if [ -e ${done}.begun ] || ! .venv/bin/python -c '' 2>/dev/null; then : > ${done}.begun || exit`,
  `  "$py" -m venv --clear --system-site-packages .venv || "$py" -m virtualenv -q --clear --system-site-packages .venv || {`,
  `    echo ${quoteWord(t("Python can't make an environment here. On Debian and Ubuntu, “apt-get install python3-venv” helps."))}; exit 1; }`,
  `  ${PATHS} > ${SITE}/image.pth && rm -f ${done}.begun || exit`,
  "fi",
];

/** `$tool` is where a tool is, which gets an environment of its own where the machine doesn't have it. */
const findTool = (name: string): readonly string[] => [
  `tool=$(command -v ${name}) || {`,
  '  t="$HOME/.cloud-gpu/tools"; "$t/bin/python" -m pip --version >/dev/null 2>&1 || "$py" -m venv --clear "$t" || exit',
  `  [ -x "$t/bin/${name}" ] || "$t/bin/python" -m pip install --disable-pip-version-check -q ${name} || exit`,
  `  tool="$t/bin/${name}"; }`,
];

/** Told before it begins, as a terminal would show it. */
const show = (command: string, shown = command): readonly string[] => [
  `printf '%s\\n' ${quoteWord(`$ ${shown}`)}`,
  `${command} || exit`,
];

const PIP = ".venv/bin/python -m pip install --disable-pip-version-check";

const INSTALLS: Readonly<Record<EnvironmentKind, (file: string, done: string) => readonly string[]>> = {
  uv: (_, done) => [
    ...listVenvSteps(done),
    ...findTool("uv"),
    ...show('UV_PROJECT_ENVIRONMENT=.venv "$tool" sync --frozen --inexact', "uv sync --frozen --inexact"),
  ],
  poetry: (_, done) => [
    ...listVenvSteps(done),
    ...findTool("poetry"),
    ...show(
      'VIRTUAL_ENV="$PWD/.venv" PATH="$PWD/.venv/bin:$PATH" "$tool" install --no-interaction',
      "poetry install --no-interaction",
    ),
  ],
  requirements: (file, done) => [...listVenvSteps(done), ...show(`${PIP} -r ${file}`)],
  project: (_, done) => [...listVenvSteps(done), ...show(`${PIP} -e .`)],
  // Updating the environment that the image runs in would replace what it has.
  conda: (file) => [
    "tool=$(command -v mamba || command -v conda) || {",
    `  echo ${quoteWord(t("This machine has no conda. Choose an image with it, or add a requirements.txt."))}; exit 1; }`,
    "do=create; [ -d .conda/conda-meta ] && do=update",
    ...show(`"$tool" env $do -q -p ./.conda -f ${file}`, `conda env -p ./.conda -f ${file}`),
  ],
};

/** Whatever of these is there says what is needed. */
const SAYING: Readonly<Record<EnvironmentKind, readonly string[]>> = {
  uv: ["pyproject.toml"],
  poetry: ["pyproject.toml"],
  requirements: [],
  project: ["setup.py", "setup.cfg"],
  conda: [],
};

/** `$sum` stands for what the files say. */
const buildSum = ({ kind, file }: ProjectEnvironment): string =>
  `sum="${kind} $(cat -- ${[file, ...SAYING[kind]].map(quoteWord).join(" ")} 2>/dev/null | cksum)"`;
const isThere = ({ kind, file }: ProjectEnvironment): string => {
  if (kind === "conda") return "[ -d .conda/conda-meta ]";
  const runs = ".venv/bin/python -c '' 2>/dev/null";
  // What it names beside itself may have changed.
  const isAlone = `! grep -q -e '^ *-r' -e '^ *-c' -e '^ *--requirement' -e '^ *--constraint' -- ${quoteWord(file)}`;
  return kind === "requirements" ? `${isAlone} && ${runs}` : runs;
};

/** Ends well if it was made of the same files before. `done` is a file on the machine that remembers them, as a shell reads its name. */
export function buildEnvironmentCheck(environment: ProjectEnvironment, done: string): string {
  return `{ ${buildSum(environment)}; [ "$sum" = "$(cat ${done} 2>/dev/null)" ] && ${isThere(environment)}; }`;
}

/** Run by `sh` in the project's folder. It may be run again at any time, and goes on with what is missing. */
export function buildEnvironmentScript(environment: ProjectEnvironment, done: string): string {
  return [
    PLACES,
    `if ${buildEnvironmentCheck(environment, done)}; then`,
    `  echo ${quoteWord(t("What {0} says is installed already.", environment.file))}; exit 0; fi`,
    `rm -f ${done}`,
    ...INSTALLS[environment.kind](quoteWord(environment.file), done),
    // A file that changed in the meantime counts as it was.
    `printf '%s\\n' "$sum" > ${done}`,
    "",
  ].join("\n");
}
