// A Jupyter server on a machine: the one that its image is started with, or one that is started through SSH.
import * as z from "zod";
import { JUPYTER_PORT, parsePort } from "../connection/machine-port.ts";
import type { Instance } from "../instance/instance.ts";

export interface JupyterServer {
  /** On the machine. */
  readonly port: number;
  /** Secret. Empty if the server asks for none. */
  readonly token: string;
}

/** Longer than any that Jupyter makes. What people choose may be base64; nothing could end a header, and addresses have it encoded. */
const TOKEN = /^[\w.~+/=-]{0,500}$/;

function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** The server that an image is started with, by what the service says of the machine; undefined if it isn't started with one. */
export function readJupyterServer({
  image_runtype: runtype = "",
  jupyter_token: listed,
  extra_env: env,
}: Pick<Instance, "image_runtype" | "jupyter_token" | "extra_env">): JupyterServer | undefined {
  const token = env?.get("JUPYTER_TOKEN") ?? listed;
  if (!runtype.includes("jupyter") || token === undefined || token === "" || !isToken(token)) return undefined;
  return { port: parsePort(env?.get("JUPYTER_PORT") ?? "") ?? JUPYTER_PORT, token };
}

/** Where images put Jupyter besides the usual places: a login without a terminal reads no profile. */
const PLACES = 'PATH="$PATH:/venv/main/bin:/opt/conda/bin:/usr/local/bin:$HOME/.local/bin"; export PATH';
const PROGRAM =
  "if command -v jupyter-server > /dev/null; then set -- jupyter-server; else set -- python3 -m jupyter_server; fi";
/** What is printed where there is no Jupyter. */
const MISSING = "no jupyter";

/** A machine's shell prints with it the servers that run, a line of JSON each. */
export const LIST_JUPYTER = `${PLACES}; ${PROGRAM}; "$@" list --json 2> /dev/null || echo ${MISSING}`;

/** Where the server that is started says what it does. */
export const JUPYTER_LOG = "~/.cloud-gpu-jupyter.log";

/**
 * A machine's shell starts a server with it that listens on loopback only and outlives the login. It reads the token from its
 * input: an argument would be in the machine's list of processes.
 */
export function startJupyterCommand(folder: string): string {
  const options = "--no-browser --allow-root --ip 127.0.0.1 --port 8888";
  return [
    PLACES,
    PROGRAM,
    "read -r JUPYTER_TOKEN; export JUPYTER_TOKEN",
    `cd ${folder} 2> /dev/null || cd`,
    `(umask 077; nohup setsid "$@" ${options} > ${JUPYTER_LOG} 2>&1 < /dev/null &)`,
  ].join("; ");
}

export const INSTALL_JUPYTER = `${PLACES}; PIP_BREAK_SYSTEM_PACKAGES=1 python3 -m pip install --no-input --disable-pip-version-check jupyterlab ipykernel 2>&1 | tail -n 3; command -v jupyter-server > /dev/null || python3 -c 'import jupyter_server'`;

const Listed = z.object({
  port: z.int().min(1).max(65_535),
  token: z.string().refine(isToken),
  base_url: z.literal("/"),
  password: z.literal(false).optional(),
});

/** Characters, a few hundred for each server; and lines, among which a profile's may be. */
const LONGEST_LIST = 100_000;
const MOST_LINES = 500;

/** The servers in a list that was printed, without those that can't be entered by a token. `missing` if Jupyter isn't installed. */
export function readJupyterList(printed: string): readonly JupyterServer[] | "missing" {
  const lines = printed.slice(0, LONGEST_LIST).split("\n", MOST_LINES);
  if (lines.includes(MISSING)) return "missing";
  return lines.flatMap((line) => {
    try {
      const { data } = Listed.safeParse(JSON.parse(line));
      return data ? [{ port: data.port, token: data.token }] : [];
    } catch {
      return [];
    }
  });
}
