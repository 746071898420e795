// The ports of an instance: which are public, and where its notebook server listens.
import type { Configuration } from "./configuration.ts";

type Setup = Pick<Configuration, "runtype" | "env">;

/** Public services open at most this many on a machine. */
const MOST_PORTS = 64;
const USUAL_NOTEBOOK_PORT = 8080;
export const SSH_PORT = "22/tcp";

/** Where the notebook server listens on the machine: where its environment says, else at 8080. Undefined without one. */
export function findNotebookPort({ runtype, env }: Setup): number | undefined {
  if (!runtype.includes("jupyter")) return undefined;
  const wanted = /^\d{1,5}$/.test(env.JUPYTER_PORT ?? "") ? Number(env.JUPYTER_PORT) : 0;
  return wanted >= 1 && wanted <= 65_535 ? wanted : USUAL_NOTEBOOK_PORT;
}

/** Ports the runtype opens automatically (interface 4.3). */
function listOwnPorts(setup: Setup): string[] {
  if (setup.runtype.includes("jupyter_direc")) return [`${findNotebookPort(setup)}/tcp`, SSH_PORT];
  return setup.runtype.includes("ssh_direc") ? [SSH_PORT] : [];
}

/** The container ports of `-p host:container` keys; either side may be a range such as `5000-5003`. */
function listMappedPorts({ env }: Setup): string[] {
  return Object.keys(env).flatMap((key) => {
    const [, from, to = from, protocol = "tcp"] = /^-p [\d-]+:(\d+)(?:-(\d+))?(?:\/(tcp|udp))?$/.exec(key) ?? [];
    const count = Math.min(MOST_PORTS, Number(to) - Number(from) + 1);
    return Array.from({ length: Math.max(0, count || 0) }, (_, index) => `${Number(from) + index}/${protocol}`);
  });
}

/** The public ports by their names inside, as docker lists them: `8080/tcp`. */
export function listPublicPorts(setup: Setup): string[] {
  return [...new Set([...listOwnPorts(setup), ...listMappedPorts(setup)])].slice(0, MOST_PORTS);
}
