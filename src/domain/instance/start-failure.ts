// What a service passes on of a container runtime or a registry: some of it can't succeed, however long anyone waits. Clients that
// wait for machines give up on these.

/** Whose fault it is: another machine helps only where the image isn't. */
type StartFailure = "image" | "machine";

/** As Docker, containerd and registries say it. What may pass, such as a limit of downloads or a lost connection, isn't here. */
const OF_THE_IMAGE = [
  /manifest (?:for .{1,300} )?(?:unknown|not found)/i,
  /manifest invalid|no matching manifest|no match for platform/i,
  /pull access denied|access to the resource is denied|repository (?:name not known|does not exist)/i,
  /unauthorized: |authentication required|incorrect username or password|no basic auth credentials/i,
  /invalid reference format|repository name must be /i,
  /executable file not found in \$PATH|exec format error|exec: .{1,300}: (?:permission denied|no such file or directory|is a directory)/i,
];
const OF_THE_MACHINE = [
  /OCI runtime create failed|failed to create shim task|nvidia-container-cli: /i,
  /could not select device driver|no space left on device/i,
];

/** Characters of a message that are judged, at its end, where the reason is. */
const MOST_READ = 4000;

/** Undefined if it may still succeed, as far as the message says. */
export function judgeStartFailure(message: string | undefined): StartFailure | undefined {
  const said = (message ?? "").slice(-MOST_READ);
  if (OF_THE_IMAGE.some((one) => one.test(said))) return "image";
  return OF_THE_MACHINE.some((one) => one.test(said)) ? "machine" : undefined;
}

/** The end of a message, from a part of it on: a runtime names all that failed because of the reason before it. */
export function findReason(message: string, most: number): string {
  const parts = message
    .trim()
    .replace(/: unknown\.?$/, "")
    .split(": ");
  let reason = parts.pop() ?? "";
  for (let next = parts.pop(); next !== undefined && next.length + reason.length + 2 <= most; next = parts.pop())
    reason = `${next}: ${reason}`;
  return reason;
}
