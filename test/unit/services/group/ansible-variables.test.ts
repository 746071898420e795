// What Ansible is told: nothing in the folder that it runs in may take the place of a person's own configuration.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { NO_SETTINGS } from "../../../../src/domain/group/hand-over/host-files.ts";
import { listAnsibleVariables } from "../../../../src/services/group/ansible-variables.ts";

const root = await mkdtemp(join(tmpdir(), "cloud-gpu-ansible-"));
after(() => rm(root, { recursive: true, force: true }));
const [place, home, bare] = [join(root, "place"), join(root, "home"), join(root, "bare")];
for (const folder of [place, home, bare]) await mkdir(folder);
const own = join(home, ".ansible.cfg");
const other = join(root, "other.cfg");
for (const file of [own, other]) await writeFile(file, "");

test("Ansible's configuration is always named, so that none is looked for in the folder that it runs in", async () => {
  const none = join(place, NO_SETTINGS.name);
  for (const [what, env, at, config] of [
    ["the person's variable wins", { ANSIBLE_CONFIG: other }, home, other],
    ["their file comes next", {}, home, own],
    ["a variable that leads into the folder doesn't count", { ANSIBLE_CONFIG: "./ansible.cfg" }, home, own],
    ["nor one that leads nowhere", { ANSIBLE_CONFIG: join(root, "gone.cfg") }, home, own],
    ["nor an empty one", { ANSIBLE_CONFIG: "" }, home, own],
    ["without any, it is one without settings", {}, bare, none],
    ["a relative one alone is none", { ANSIBLE_CONFIG: "ansible.cfg" }, bare, none],
  ] as const) {
    const variables = await listAnsibleVariables(place, "inventory.yml", { env, home: at });
    // The system's own comes before none.
    const system = await listAnsibleVariables(place, "inventory.yml", { env: {}, home: bare });
    assert.equal(variables.ANSIBLE_CONFIG, config === none ? system.ANSIBLE_CONFIG : config, what);
    assert.match(variables.ANSIBLE_CONFIG ?? "", /^(?!\.).*\.cfg$/, "a name that Ansible takes");
  }
});

test("variables and plugins come from the inventory's folder, and from no folder that it runs in", async () => {
  const { ANSIBLE_PLAYBOOK_DIR, ANSIBLE_INVENTORY } = await listAnsibleVariables(place, "inventory.yml");
  assert.deepEqual([ANSIBLE_PLAYBOOK_DIR, ANSIBLE_INVENTORY], [place, join(place, "inventory.yml")]);
});
