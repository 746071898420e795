// What a project needs, by the files in its folder.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type EnvironmentKind,
  findSetup,
  listContenders,
  listEnvironments,
} from "../../../../src/domain/run/environment.ts";

describe("what a folder needs is said by", () => {
  const cases: readonly (readonly [names: readonly string[], found: string, pyproject?: string])[] = [
    [["uv.lock", "pyproject.toml", "requirements.txt"], "uv.lock requirements.txt pyproject.toml"],
    [["poetry.lock", "pyproject.toml"], "poetry.lock pyproject.toml"],
    [["uv.lock"], ""],
    [["poetry.lock", "requirements.txt"], "requirements.txt"],
    [["requirements-dev.txt", "requirements.txt"], "requirements.txt"],
    [["requirements-gpu.txt", "requirements-cpu.txt"], "requirements-cpu.txt"],
    [["requirements_dev.txt"], "requirements_dev.txt"],
    [["requirements .txt", "requirements;id.txt", "requirements-$(id).txt", "old-requirements.txt"], ""],
    [["environment.yaml", "environment.yml"], "environment.yml"],
    [["environment.yaml"], "environment.yaml"],
    [["pyproject.toml"], "pyproject.toml"],
    [["pyproject.toml"], "pyproject.toml", "[project]\nname = 'a'\n"],
    [["pyproject.toml"], "pyproject.toml", "[ build-system ]\n"],
    [["pyproject.toml"], "pyproject.toml", "[tool.poetry]\n"],
    [["pyproject.toml"], "", "[tool.ruff]\nline-length = 100\n# [project]\n"],
    [["pyproject.toml", "requirements.txt"], "requirements.txt", "[tool.ruff]\n"],
    [["setup.cfg", "train.py"], ""],
    [[], ""],
  ];
  for (const [names, found, pyproject] of cases)
    test(`${names.join(", ")}${pyproject === undefined ? "" : ` with ${pyproject.split("\n")[0]}`}`, () => {
      const files = listEnvironments({ names, pyproject }).map(({ file }) => file);
      assert.equal(files.join(" "), found);
    });
});

describe("a person decides only where files disagree", () => {
  const cases: readonly (readonly [names: readonly string[], kinds: readonly EnvironmentKind[]])[] = [
    [
      ["uv.lock", "poetry.lock", "pyproject.toml"],
      ["uv", "poetry"],
    ],
    [["uv.lock", "requirements.txt", "pyproject.toml"], ["uv"]],
    [
      ["uv.lock", "environment.yml", "pyproject.toml"],
      ["uv", "conda"],
    ],
    [
      ["requirements.txt", "environment.yml"],
      ["requirements", "conda"],
    ],
    [["requirements.txt", "pyproject.toml"], ["requirements"]],
    [["environment.yml", "pyproject.toml"], ["conda"]],
    [["pyproject.toml"], ["project"]],
    [["train.py"], []],
  ];
  for (const [names, kinds] of cases)
    test(names.join(", "), () => {
      assert.deepEqual(
        listContenders(listEnvironments({ names })).map(({ kind }) => kind),
        kinds,
      );
    });
});

test("a run installs from the first of the files that say so", () => {
  assert.match(findSetup(["pyproject.toml", "requirements.txt"]), /-r requirements\.txt$/);
  assert.match(findSetup(["requirements-gpu.txt"]), /-r requirements-gpu\.txt$/);
  assert.match(findSetup(["pyproject.toml", "train.py"]), / -e \. \|\| echo '[^']+'$/);
  assert.match(findSetup(["environment.yml"]), /^conda env update/);
  assert.match(findSetup(["environment.yaml"]), /^conda env update .* -f environment\.yaml$/);
  assert.match(findSetup(["uv.lock", "pyproject.toml"]), /uv sync --frozen -q && \. \.venv\/bin\/activate$/);
  assert.match(findSetup(["poetry.lock", "pyproject.toml"]), /poetry install .* && \. \.venv\/bin\/activate$/);
  assert.equal(findSetup(["setup.cfg", "old-requirements.txt"]), "");
});
