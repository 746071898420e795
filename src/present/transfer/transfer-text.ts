// What is said of uploads and downloads: before, in the meantime and afterward.
import type { InstanceId } from "../../domain/base/id.ts";
import { findLargest, type UploadFacts, type UploadSize } from "../../domain/transfer/upload-list.ts";
import { formatNumber, t, toPlainText } from "../../lib/text.ts";
import type { Question } from "../base/question.ts";

/** Characters of a path that are shown, and paths of a list that are named in a sentence. */
const MOST_SHOWN = 200;
const MOST_NAMED = 5;
/** Lines of a document. */
const MOST_LINES = 10_000;

const UNITS = ["B", "KB", "MB", "GB", "TB"] as const;

/** `812 B`, `3.4 KB`, `200 MB`: in steps of a thousand, as disks are sold. */
export function formatSize(bytes: number): string {
  let [value, unit] = [Math.max(0, bytes), 0];
  // What would be rounded to a thousand is one of the next unit.
  while (value >= 999.5 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  const digits = unit === 0 || value >= 9.95 ? 0 : 1;
  return `${formatNumber(Number(value.toFixed(digits)))} ${UNITS[unit]}`;
}

export const formatFileCount = (count: number): string =>
  count === 1 ? t("1 file") : t("{0} files", formatNumber(count));

const linksText = (count: number): string =>
  count === 1 ? t("1 symbolic link") : t("{0} symbolic links", formatNumber(count));

/** `a, b, c and 4 more`. */
export function formatSome(names: readonly string[], most = MOST_NAMED): string {
  const shown = names.slice(0, most).map((name) => toPlainText(name, 80));
  const more = names.length - shown.length;
  return more > 0 ? t("{0} and {1} more", shown.join(", "), formatNumber(more)) : shown.join(", ");
}

export const formatDestination = (remote: string): string => toPlainText(remote, MOST_SHOWN);

/** `destination`: where it goes, and what becomes of files that are there. */
export function buildUploadQuestion(
  { id, list, remote, before }: UploadFacts,
  destination = t("Destination: {0}. Existing files with the same names are replaced.", formatDestination(remote)),
): Question {
  const { files, bytes, secrets, links, specials, unreadable } = list;
  const largest = findLargest(list, MOST_NAMED).map(
    ({ path, size }) => `${toPlainText(path, 80)} (${formatSize(size)})`,
  );
  const others = [
    ...(links > 0 ? [linksText(links)] : []),
    ...(specials > 0 ? [t("sockets, pipes and devices: {0}", formatNumber(specials))] : []),
    ...(unreadable.length > 0 ? [t("folders that can't be read: {0}", formatSome(unreadable))] : []),
  ];
  return {
    message: t("Upload {0} ({1}) to instance {2}?", formatFileCount(files.length), formatSize(bytes), id),
    detail: [
      ...(before
        ? [t("That's much more than last time: {0} ({1}).", formatFileCount(before.files), formatSize(before.bytes))]
        : []),
      destination,
      ...(largest.length > 0 ? [t("Largest: {0}.", largest.join(", "))] : []),
      ...(secrets.length > 0 ? [t("Not uploaded (possible secrets): {0}.", formatSome(secrets))] : []),
      ...(others.length > 0 ? [t("Not uploaded: {0}.", others.join(", "))] : []),
    ].join("\n\n"),
    go: t("Upload"),
  };
}

/** The whole list, to be read in a tab. */
export function formatUploadList(folder: string, { id, list, remote }: UploadFacts): string {
  const { files, bytes, secrets, unreadable } = list;
  return [
    t("From {0}", toPlainText(folder, MOST_SHOWN)),
    t("To {0} on instance {1}", toPlainText(remote, MOST_SHOWN), id),
    `${formatFileCount(files.length)}, ${formatSize(bytes)}`,
    "",
    ...cutLines(files.map(({ path, size }) => `${formatSize(size).padStart(8)}  ${toPlainText(path, 1000)}`)),
    ...(secrets.length > 0
      ? ["", t("Not uploaded (possible secrets):"), ...cutLines(secrets.map((path) => toPlainText(path, 1000)))]
      : []),
    ...(unreadable.length > 0
      ? ["", t("Folders that can't be read:"), ...cutLines(unreadable.map((path) => toPlainText(path, 1000)))]
      : []),
    "",
  ].join("\n");
}

function cutLines(lines: readonly string[]): readonly string[] {
  if (lines.length <= MOST_LINES) return lines;
  return [...lines.slice(0, MOST_LINES), t("… and {0} more", formatNumber(lines.length - MOST_LINES))];
}

export interface TransferMoment extends UploadSize {
  /** How much there is in all, if that is known. */
  readonly of?: UploadSize | undefined;
  /** Bytes. */
  readonly perSecond: number;
}

/** `12 / 1,204 files · 3.4 MB / 200 MB · 8.1 MB/s`. */
export function describeProgress({ files, bytes, of, perSecond }: TransferMoment): string {
  const counts = of
    ? // A file that grew in the meantime makes it more than there was.
      [
        `${formatNumber(files)} / ${formatFileCount(of.files)}`,
        `${formatSize(bytes)} / ${formatSize(Math.max(bytes, of.bytes))}`,
      ]
    : [formatFileCount(files), formatSize(bytes)];
  return [...counts, t("{0}/s", formatSize(perSecond))].join(" · ");
}

interface Uploaded extends UploadSize {
  readonly changed: readonly string[];
  readonly missing: readonly string[];
}

/** What arrived, and what didn't as it was. */
export function describeUploaded({ files, bytes, changed, missing }: Uploaded, remote: string, id: InstanceId): string {
  const place = toPlainText(remote, MOST_SHOWN);
  return [
    t("Uploaded {0} ({1}) to {2} on instance {3}.", formatFileCount(files), formatSize(bytes), place, id),
    ...(changed.length > 0
      ? [t("These files changed during the upload. Upload them again: {0}.", formatSome(changed))]
      : []),
    ...(missing.length > 0 ? [t("Couldn't read: {0}.", formatSome(missing))] : []),
  ].join(" ");
}

interface Downloaded extends UploadSize {
  readonly links: number;
  readonly others: number;
  readonly names: number;
  readonly repeated: number;
}

/** What arrived, what was left out, and what the machine complained about. */
export function describeDownloaded(done: Downloaded, place: string, complaint: string): string {
  const { files, bytes, links, others, names, repeated } = done;
  const leftOut = [
    ...(links > 0 ? [linksText(links)] : []),
    ...(others > 0 ? [t("devices and similar: {0}", formatNumber(others))] : []),
    ...(names > 0 ? [t("Git repositories and file names that this computer can't use: {0}", formatNumber(names))] : []),
    ...(repeated > 0 ? [t("duplicate names: {0}", formatNumber(repeated))] : []),
  ];
  return [
    t("Downloaded {0} ({1}) to {2}.", formatFileCount(files), formatSize(bytes), toPlainText(place, MOST_SHOWN)),
    ...(leftOut.length > 0 ? [t("Skipped: {0}.", leftOut.join(", "))] : []),
    ...(complaint === ""
      ? []
      : [t("Some files may be missing: the machine reported “{0}”.", toPlainText(complaint, 200))]),
  ].join(" ");
}

/** Before anything that is there is replaced. */
export function buildReplaceQuestion(name: string, replaced: readonly string[]): Question {
  return {
    message:
      replaced.length === 1
        ? t("Replace 1 file with the download?")
        : t("Replace {0} files with the download?", formatNumber(replaced.length)),
    detail: [
      t("Already in “{0}”: {1}.", toPlainText(name, 100), formatSome(replaced, 10)),
      t("Replaced files can't be recovered. Keep Both renames the download. Cancel deletes the download."),
    ].join("\n\n"),
    go: t("Replace"),
  };
}

/** Before more than `bytes` are downloaded. */
export function buildLargeQuestion(bytes: number): Question {
  return {
    message: t("Download more than {0}?", formatSize(bytes)),
    detail: t("The machine has sent {0} so far. If you cancel, the download is deleted.", formatSize(bytes)),
    go: t("Continue"),
  };
}
