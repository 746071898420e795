// A client of a machine: who may log in, and what may be asked for afterwards.
import { connect } from "node:net";
import ssh2, {
  type AuthContext,
  type Connection,
  type ParsedKey,
  type ServerChannel,
  type TcpipRequestInfo,
} from "ssh2";
import type { StoredInstance } from "../world/instance.ts";
import type { Place } from "./program.ts";
import { serveSession } from "./session.ts";

/** As with OpenSSH: a client that offers more keys than this is sent away. */
const MOST_TRIES = 6;
/** What a client may reach through a machine: this computer, by these names. */
const REACHABLE: readonly string[] = ["127.0.0.1", "localhost"];

/** Keys of the instance that the library can check. Hardware keys are none of them. */
function readKeys({ sshKeys }: StoredInstance): ParsedKey[] {
  return sshKeys.flatMap((text) => {
    const key = ssh2.utils.parseKey(text);
    return key instanceof Error ? [] : [key];
  });
}

function findKey(instance: StoredInstance, data: Buffer): ParsedKey | undefined {
  return readKeys(instance).find((key) => key.getPublicSSH().equals(data));
}

/** Only `root`, only with a key of the instance, and only with a signature that this key made. */
function isWelcome(context: AuthContext, instance: StoredInstance): boolean {
  if (context.method !== "publickey" || context.username !== "root") return false;
  const key = findKey(instance, context.key.data);
  if (key === undefined) return false;
  // Without a signature the client only asks whether this key would do.
  if (context.signature === undefined) return true;
  return context.blob !== undefined && key.verify(context.blob, context.signature, context.hashAlgo) === true;
}

function checkLogins(client: Connection, instance: StoredInstance): void {
  let tries = 0;
  client.on("authentication", (context) => {
    if (isWelcome(context, instance)) return context.accept();
    if (context.method !== "none") tries += 1;
    context.reject(["publickey"]);
    if (tries >= MOST_TRIES) client.end();
  });
}

type Accept = () => ServerChannel | undefined;

/** A port that this process listens for on behalf of the machine leads there, any other to this computer's. */
function forward(served: ReadonlyMap<number, number>, accept: Accept, reject: () => void, to: TcpipRequestInfo) {
  if (!REACHABLE.includes(to.destIP)) return reject();
  const port = served.get(to.destPort) ?? to.destPort;
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  socket.once("error", reject);
  socket.once("connect", () => {
    // Undefined if the client has left in the meantime.
    const channel = accept();
    if (channel === undefined) return socket.destroy();
    channel.on("error", () => undefined);
    channel.once("close", () => socket.destroy());
    socket.on("error", () => channel.end());
    return socket.pipe(channel).pipe(socket);
  });
}

/** What a client can reach once it is logged in. */
export interface Reach {
  readonly instance: StoredInstance;
  readonly place: Place;
  /** The ports inside that this process listens for, and where. */
  readonly served: ReadonlyMap<number, number>;
}

/** Nothing that a client does may throw out of the server: its errors end its own connection. */
export function serveClient(client: Connection, { instance, place, served }: Reach): void {
  client.on("error", () => client.end());
  checkLogins(client, instance);
  client.once("ready", () => {
    client.on("session", (accept) => serveSession(accept(), place));
    client.on("tcpip", (accept, reject, to) => forward(served, accept, reject, to));
  });
}
