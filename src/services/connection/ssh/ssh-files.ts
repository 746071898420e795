// Where SSH keeps what belongs to the extension, and which configuration it reads.

export interface SshFiles {
  /** A folder of our own, normally `~/.ssh/cloud-gpu`. */
  readonly folder: string;
  /** The file with host keys in it, as `ssh` reads the name. */
  readonly knownHosts: string;
  /** Our configuration file, as `ssh` reads the name. */
  readonly ownConfig: string;
  /** Read in place of the person's own configuration; only tests name one. */
  readonly config?: string | undefined;
  /** What `ssh` reads if it isn't told what to, as it reads the names: the person's own configuration and the system's. */
  readonly usual: readonly string[];
  /** What the person set as their proxy command, as they typed it. */
  readonly proxyCommand?: () => string | undefined;
  /** The person's own configuration, which the editor's windows on other computers are opened by. It may be set again at any time. */
  readonly person: () => PersonConfig;
}

export interface PersonConfig {
  /** An absolute path. */
  readonly path: string;
  /** Whether `ssh` reads it without being told to. */
  readonly isUsual: boolean;
}
