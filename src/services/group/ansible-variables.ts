// What Ansible is told by variables, so that it follows nothing but the inventory and what the person set up for themselves. Files in the
// folder that it runs in may be anyone's, and a configuration or variables that it finds there can run programs on this computer.
import { access, constants } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { NO_SETTINGS } from "../../domain/group/hand-over/host-files.ts";

/** `place` is the folder with the inventory. */
export async function listAnsibleVariables(
  place: string,
  inventory: string,
  { env = process.env, home = homedir() } = {},
): Promise<Readonly<Record<string, string>>> {
  const own = [env.ANSIBLE_CONFIG ?? "", join(home, ".ansible.cfg"), "/etc/ansible/ansible.cfg"];
  return {
    ANSIBLE_INVENTORY: join(place, inventory),
    ANSIBLE_CONFIG: (await findReadable(own.filter(isAbsolute))) ?? join(place, NO_SETTINGS.name),
    // Where commands that run no playbook look for variables and plugins: by default where they run.
    ANSIBLE_PLAYBOOK_DIR: place,
    ANSIBLE_NOCOWS: "1",
  };
}

async function findReadable(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const isThere = await access(path, constants.R_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}
