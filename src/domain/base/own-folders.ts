// The folders on a machine that this extension uses, below the home folder.

/** A folder for each run. */
export const RUNS = ".cloud-gpu/runs";
/** What stops the machine once it is idle. */
export const IDLE_KEEPER = ".cloud-gpu/idle";
