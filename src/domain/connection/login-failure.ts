// Why `ssh` couldn't log in without a question, by what it complained with.
import { takeEnd, toPlainText } from "../../lib/text.ts";
import { findComplaint } from "./machine-answer.ts";

/** Why a machine couldn't be logged in to, as far as `ssh` says. */
export type LoginFailure =
  | { readonly kind: "denied" }
  /** `ssh` can't read the person's configuration, and connected to nothing. `said` names the file and the line. */
  | { readonly kind: "configuration"; readonly said: string }
  | { readonly kind: "late"; readonly seconds: number }
  /** `said` is the program's own last line, and empty if it said nothing. */
  | { readonly kind: "other"; readonly said: string };

/** The program's own words for it, or the machine's for the same. A program there that may not read a file says it otherwise. */
const DENIED = /^\S+: Permission denied \([\w,-]{1,200}\)\.?$|: Too many authentication failures$/;

/** Of one or more lines of a configuration, each named before; or of what it includes and names, before anything is connected to. */
const TERMINATED =
  /: terminating, \d+ bad configuration options$|^(?:Too many recursive configuration includes|Bad owner or permissions on .+|\w*percent_\w*expand: .+|tilde_expand\w*: .+|invalid environment variable expansion)$/;

/** Characters of a complaint that are read, at its end: before them come banners of the machine. */
const MOST_READ = 20_000;

/** Reads the end of what `ssh` complained with when it ended with 255, its own code. */
export function readLoginFailure(err: string): LoginFailure {
  const lines = takeEnd(err, MOST_READ)
    .split("\n")
    .filter((line) => line.trim() !== "");
  if (TERMINATED.test(toPlainText(lines.at(-1) ?? "")))
    return {
      kind: "configuration",
      said: toPlainText(lines.find((line) => / line \d+: /.test(line)) ?? lines[0] ?? "", 200),
    };
  // A machine that refuses also says that it hangs up. If a host on the way refused, more follows.
  const isDenied = lines.slice(-2).some((line) => DENIED.test(toPlainText(line)));
  return isDenied ? { kind: "denied" } : { kind: "other", said: findComplaint(err) };
}
