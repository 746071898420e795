// Where an extension host runs, as far as the editor says: on one's own machine, or on one that belongs to somebody else.

/** Ways to a host elsewhere, as the editor names them. WSL and development containers run on one's own machine. */
const ELSEWHERE = new Set(["ssh-remote", "tunnel", "attached-container", "k8s-container"]);

/** `remoteName` is that of the window; `isWorkspaceHost` whether the extension runs at its far end. */
export function isOnForeignMachine(remoteName: string | undefined, isWorkspaceHost: boolean): boolean {
  return isWorkspaceHost && remoteName !== undefined && ELSEWHERE.has(remoteName);
}
