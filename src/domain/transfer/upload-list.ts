// What of a folder is uploaded, and what stays on this computer whatever the folder's own rules say.
import type { InstanceId } from "../base/id.ts";

/** Paths are relative to the folder, with slashes on every system. */
export interface UploadFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly isExecutable: boolean;
}

export interface UploadList {
  readonly files: readonly UploadFile[];
  /** Every folder that goes, empty ones too; each after the one that it lies in. */
  readonly folders: readonly string[];
  /** All files together. */
  readonly bytes: number;
  /** What stays because it looks secret; folders end with a slash. */
  readonly secrets: readonly string[];
  /** How many symbolic links, and how many sockets, pipes and devices stay. */
  readonly links: number;
  readonly specials: number;
  /** Folders that can't be read, so what is in them stays. */
  readonly unreadable: readonly string[];
}

/** Folders in which programs keep keys and logins. */
const SECRET_FOLDERS = new Set([".ssh", ".aws", ".gnupg", ".azure", ".kube", ".docker", "gcloud", ".gcloud"]);

const SECRET_NAMES = new Set([
  ...[".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd", ".envrc"],
  ...[".git-credentials", ".dockercfg", ".boto", ".s3cfg", ".vault-token", "kubeconfig", "kaggle.json"],
]);

/** Key stores and configurations with keys in them, and keys under the names that their programs give them. */
const SECRET_FILES =
  /\.(?:pem|key|p8|p12|pfx|ppk|jks|keystore|kdbx?|ovpn|env)$|^id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?$/;

const SECRET_WORDS =
  /credentials|^client_secret.*\.json$|^service[-_]?account.*\.json$|^secrets?\.(?:json|ya?ml|toml|ini)$/;

/** Examples are there to be shared. */
const EXAMPLE = /\.(?:example|sample|template|dist)$/;

const toName = (path: string): string => path.slice(path.lastIndexOf("/") + 1).toLowerCase();

/**
 * Whether a file or folder looks like a key, a password or a login, by the last part of its path. A key is a file: a folder of such a name
 * (`id_val`, `lander.env`) is anything, and what is in it is judged on its own.
 */
export function isSecretPath(path: string, isFolder: boolean): boolean {
  const name = toName(path);
  if (EXAMPLE.test(name)) return false;
  if (SECRET_FOLDERS.has(name) || SECRET_NAMES.has(name)) return true;
  if (name === ".env" || name.startsWith(".env.")) return true;
  return isFolder ? name.endsWith("credentials") : SECRET_FILES.test(name) || SECRET_WORDS.test(name);
}

/** Keys that people named. The public half isn't secret, and `id_map.json` is no key. */
const OWN_KEY = /^id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?!.*\.pub$)|^id_[^.]*$/;

/** Whether a file may be a private key by its name, such as `id_work` and `id_rsa.old`: what is in it decides. */
export const mayBePrivateKey = (path: string): boolean => OWN_KEY.test(toName(path));

/** Bytes: no private key is larger, and what it begins with says that it is one. */
export const LARGEST_KEY = 64 * 1024;
export const KEY_HEAD = 4096;

const KEY_LINE =
  /^[ \t]*(?:-----BEGIN [A-Z0-9 ]*PRIVATE KEY|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY|PuTTY-User-Key-File-|SSH PRIVATE KEY FILE|AGE-SECRET-KEY-)/m;

/** Whether a text begins like a private key, behind a few lines of notes. */
export const isPrivateKeyText = (head: string): boolean => KEY_LINE.test(head);

/** Single stars in one part of a pattern, double stars in all of it, and characters: more keep a matcher busy for minutes. */
const MOST = { stars: 4, doubles: 2, characters: 1000 };

/** Lines with two double stars that may hold in one folder: each takes milliseconds for each name far down. */
export const MOST_DOUBLED = 100;

/** Whether a part of a pattern is nothing but stars, which stand for folders. */
export const isDouble = (part: string): boolean => /^\*\*+$/.test(part);

/** How many double stars a line of an ignore file has that stand for folders in its middle. One at its end takes no time. */
export const countDoubleStars = (line: string): number => line.split("/").slice(0, -1).filter(isDouble).length;

/** Whether a line of an ignore file can be matched quickly against any name. A workspace's files may be anyone's. */
export function isQuickPattern(line: string): boolean {
  if (line.length > MOST.characters || countDoubleStars(line) > MOST.doubles) return false;
  return line.split("/").every((part) => isDouble(part) || (part.match(/\*+/g) ?? []).length <= MOST.stars);
}

/** The largest files, largest first. */
export function findLargest({ files }: Pick<UploadList, "files">, most: number): readonly UploadFile[] {
  const largest: UploadFile[] = [];
  for (const file of files) {
    const at = largest.findIndex(({ size }) => size < file.size);
    if (at >= 0) largest.splice(at, 0, file);
    else if (largest.length < most) largest.push(file);
    if (largest.length > most) largest.pop();
  }
  return largest;
}

/** How much was uploaded when the person last agreed to it. */
export interface UploadSize {
  readonly files: number;
  readonly bytes: number;
}

/** How many times as much may be uploaded before the person is asked again. */
const GROWTH = 2;

/** Whether there is so much more than the person agreed to that they are asked again. */
export const isMuchMore = ({ files, bytes }: UploadSize, agreed: UploadSize): boolean =>
  files > GROWTH * agreed.files || bytes > GROWTH * agreed.bytes;

export const hasOutgrown = ({ files, bytes }: UploadList, agreed: UploadSize): boolean =>
  isMuchMore({ files: files.length, bytes }, agreed);

/** What the person is shown before an upload. */
export interface UploadFacts {
  readonly id: InstanceId;
  readonly list: UploadList;
  /** The folder on the machine. */
  readonly remote: string;
  /** What the person agreed to before, if this is much more. */
  readonly before?: UploadSize | undefined;
}
