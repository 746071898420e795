// Where the person's configuration says that their keys are, besides the usual places.

export interface KeyPlaces {
  /** The socket of the agent that `ssh` asks; `usual` for that of the environment, undefined for none. */
  readonly agent: string | undefined;
  /** Files with private keys. */
  readonly files: readonly string[];
}

/** The person on this computer, by the signs of a configuration (`%d` and so on): home folder, name and number, and the computer's name. */
export type LocalUser = Readonly<Record<string, string>>;

/** What `ssh` tries where nothing is said. */
const USUAL = /^~\/\.ssh\/id_(?:rsa|dsa|ecdsa|ecdsa_sk|ed25519|ed25519_sk|xmss)$/;

/**
 * Reads what `ssh -G` printed for a host. A place that depends on the host, on a variable that isn't there, or on another
 * person is none.
 * @param user whose configuration it is @param env the environment that `ssh` runs in
 */
export function readKeyPlaces(
  printed: string,
  user: LocalUser,
  env: Readonly<Record<string, string | undefined>>,
): KeyPlaces {
  const valuesOf = (name: string) =>
    printed.split(/\r?\n/).flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));
  // In one go: what a variable holds isn't read for signs again.
  const expand = (text: string): string | undefined => {
    let isKnown = true;
    const path = text
      .replace(/^~([^/]*)(?=\/)/, (_, name: string) => (name === "" || name === user.u ? "%d" : "%~"))
      .replaceAll(/%(.)|\$\{(\w+)\}/g, (_, sign: string | undefined, variable: string) => {
        const found = sign === undefined ? env[variable] : { ...user, "%": "%" }[sign];
        isKnown &&= found !== undefined;
        return found ?? "";
      });
    return isKnown ? path : undefined;
  };
  const [agent = "SSH_AUTH_SOCK"] = valuesOf("identityagent");
  const [, variable] = /^\$(\w+)$/.exec(agent) ?? [];
  const files = valuesOf("identityfile").filter((file) => !USUAL.test(file) && file !== "none");
  return { agent: readAgent(), files: files.flatMap((file) => expand(file) ?? []) };

  function readAgent(): string | undefined {
    if (agent === "none") return undefined;
    if (agent === "SSH_AUTH_SOCK") return "usual";
    return variable === undefined ? expand(agent) : env[variable];
  }
}
