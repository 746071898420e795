// The home folder of whoever runs the editor.
import { homedir, userInfo } from "node:os";

/** The user's own, whatever the environment says: the folder that `ssh` means by `~`. */
export function findHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    return homedir();
  }
}
