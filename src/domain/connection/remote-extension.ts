// The extensions that open windows on other computers by SSH. Each editor has its own; all of them read the SSH configuration.

/** In the order in which they are looked for. */
const REMOTE_EXTENSIONS = [
  { id: "ms-vscode-remote.remote-ssh", name: "Remote - SSH", editor: /^Visual Studio Code\b/ },
  { id: "anysphere.remote-ssh", name: "Remote - SSH", editor: /^Cursor\b/ },
  { id: "codeium.windsurf-remote-openssh", name: "Remote - SSH", editor: /^Windsurf\b/ },
  { id: "google.antigravity-remote-openssh", name: "Remote - SSH", editor: /^Antigravity\b/ },
  { id: "jeanp413.open-remote-ssh", name: "Open Remote - SSH", editor: /(?:)/ },
] as const;

export type RemoteExtension = (typeof REMOTE_EXTENSIONS)[number];

/** The one that is installed, if any. */
export function findRemoteExtension(isInstalled: (id: string) => boolean): RemoteExtension | undefined {
  return REMOTE_EXTENSIONS.find(({ id }) => isInstalled(id));
}

/** The one for an editor of this name: the open one for every build that has none of its own. */
export function getRemoteExtension(appName: string): RemoteExtension {
  const [, , , , open] = REMOTE_EXTENSIONS;
  return REMOTE_EXTENSIONS.find(({ editor }) => editor.test(appName)) ?? open;
}
