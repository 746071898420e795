// Where an extension host runs, as far as the editor says: on the person's own machine, or on someone else's.

/** The editor's names for hosts elsewhere. WSL and development containers run on the person's own machine. */
const ELSEWHERE = new Set(["ssh-remote", "tunnel", "attached-container", "k8s-container"]);

/** `remoteName` is the window's remote; `isWorkspaceHost` says whether the extension runs at its remote end. */
export function isOnForeignMachine(remoteName: string | undefined, isWorkspaceHost: boolean): boolean {
  return isWorkspaceHost && remoteName !== undefined && ELSEWHERE.has(remoteName);
}
