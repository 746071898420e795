// What a link may ask for: launch prompts that are filled in, a search, or a row. Anyone can write one, so whatever isn't known here is refused by
// name, and nothing in it sends, spends, or says what runs on a machine.
import * as z from "zod";
import { t, toPlainText } from "../../lib/text.ts";
import { AppError, asAppError } from "../base/error.ts";
import { InstanceId, TemplateHash } from "../base/id.ts";
import { createRejection, readNumber } from "../base/typed-number.ts";
import { parseDisk } from "../offer/disk.ts";
import type { Filters, Operator } from "../offer/filter.ts";
import type { RentalType } from "../offer/offer.ts";
import type { OfferSearch } from "../offer/offer-search.ts";
import { readComparison } from "../offer/typed-filter.ts";

/** The search that a link asks for, over the one that is usual there. */
interface LinkedSearch {
  readonly filters: Filters;
  readonly type: RentalType | undefined;
  /** GB. */
  readonly diskGb: number | undefined;
}

export interface LaunchLink {
  readonly kind: "launch";
  readonly template: TemplateHash;
  readonly search: LinkedSearch;
}

export type Link =
  | LaunchLink
  | { readonly kind: "explore"; readonly search: LinkedSearch }
  | { readonly kind: "instance"; readonly id: InstanceId };

/** The parts of an address behind the extension's name, decoded once, as the editor hands them over. */
export interface LinkParts {
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

/** The parameters that are given, by name. */
export type Parameters = ReadonlyMap<string, string>;

/** Says that one of them can't be used, to whoever wrote it. */
export type Refusal = (name: string, why: string) => AppError;

/** Characters of a link's parts together. */
export const LONGEST_LINK = 2048;

/** What moves, hides or breaks text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Filters by their short names in a link. */
const LINKED_FILTERS = new Map<string, readonly [field: string, operator: Operator, isNumber: boolean]>([
  ["gpu", ["gpu_name", "eq", false]],
  ["gpus", ["num_gpus", "eq", true]],
  ["vram", ["gpu_ram", "gte", true]],
  ["max", ["dph_total", "lte", true]],
  ["reliability", ["reliability", "gte", true]],
  ["country", ["geolocation", "eq", false]],
]);
export const SEARCH_PARAMETERS: readonly string[] = [...LINKED_FILTERS.keys(), "disk", "type"];
export const LAUNCH_PARAMETERS: readonly string[] = ["template", ...SEARCH_PARAMETERS];

/** Whether another extension writes its value as a number. */
export const isNumberParameter = (name: string): boolean => name === "disk" || LINKED_FILTERS.get(name)?.[2] === true;

const LinkedType = z.enum(["ondemand", "bid"]);

/** @throws AppError `rejected` that says in one sentence what is wrong. */
export function readLink(parts: LinkParts): Link {
  const { path, query, fragment } = parts;
  if (path.length + query.length + fragment.length > LONGEST_LINK)
    throw refuse(t("This link can't be opened: it's longer than 2 KB."));
  if (fragment !== "") throw refuse(t("This link can't be opened: it has something after a “#”."));
  const given = new URLSearchParams(query);
  const [, place = "", rest] = path.split("/", 3);
  if (place === "launch" && rest === undefined) return readLaunchLink(given);
  if (place === "explore" && rest === undefined)
    return toExploreLink(readParameters(given, SEARCH_PARAMETERS), refuseValue);
  if (place === "instance" && rest !== undefined) return readInstanceLink(path.slice("/instance/".length), given);
  throw refuse(t("This link can't be opened: Cloud GPU has nothing at “{0}”.", toPlainText(path, 60)));
}

function readLaunchLink(given: URLSearchParams): Link {
  const parameters = readParameters(given, LAUNCH_PARAMETERS);
  if (!parameters.has("template"))
    throw refuse(t("This link can't be opened: it doesn't say which template to launch."));
  return toLaunchLink(parameters, refuseValue);
}

/** @throws what `refuseField` makes of the first one that is wrong. */
export function toLaunchLink(parameters: Parameters, refuseField: Refusal): Link {
  const template = TemplateHash.safeParse(parameters.get("template"));
  if (!template.success) throw refuseField("template", t("It isn't a template's hash."));
  return { kind: "launch", template: template.data, search: readSearch(parameters, refuseField) };
}

/** @throws what `refuseField` makes of the first one that is wrong. */
export const toExploreLink = (parameters: Parameters, refuseField: Refusal): Link => ({
  kind: "explore",
  search: readSearch(parameters, refuseField),
});

function readInstanceLink(written: string, given: URLSearchParams): Link {
  readParameters(given, []);
  const id = InstanceId.safeParse(written);
  if (id.success) return { kind: "instance", id: id.data };
  throw refuse(t("This link can't be opened: “{0}” isn't an instance's ID.", toPlainText(written, 60)));
}

/** Each of them at most once, and none but these. */
function readParameters(given: URLSearchParams, known: readonly string[]): Parameters {
  const read = new Map<string, string>();
  for (const [name, value] of given) {
    const shown = toPlainText(name, 60);
    if (!known.includes(name))
      throw refuse(t("This link can't be opened: Cloud GPU doesn't know its parameter “{0}”.", shown));
    if (read.has(name)) throw refuse(t("This link can't be opened: it has the parameter “{0}” twice.", shown));
    read.set(name, readPlainValue(name, value, refuseValue));
  }
  return read;
}

/** @throws what `refuseField` makes of it. */
export function readPlainValue(name: string, value: string, refuseField: Refusal): string {
  if (value === "") throw refuseField(name, t("It has no value."));
  if (INVISIBLE.test(value)) throw refuseField(name, t("It contains invisible characters."));
  return value;
}

function readSearch(parameters: Parameters, refuseField: Refusal): LinkedSearch {
  const read = <T>(name: string, parse: (written: string) => T): T | undefined => {
    const written = parameters.get(name);
    if (written === undefined) return undefined;
    try {
      return parse(written);
    } catch (error) {
      throw refuseField(name, asAppError(error).message);
    }
  };
  const filters = Object.fromEntries(
    [...LINKED_FILTERS].flatMap(([name, [field, operator, isNumber]]) => {
      const condition = read(name, (written) => readFilter(name, field, operator, written, isNumber));
      return condition === undefined ? [] : [[field, { [operator]: condition }]];
    }),
  );
  return { filters, type: read("type", readType), diskGb: read("disk", readDisk) };
}

/** Only what is written plainly: the notation of filters allows more than a link needs. */
function readFilter(name: string, field: string, operator: Operator, written: string, isNumber: boolean) {
  if (isNumber && !(readNumber(name, written) > 0))
    throw createRejection(name, t("Enter a number that's greater than 0."));
  if (written.startsWith("=")) throw createRejection(name, t("Its value can't begin with “=”."));
  return readComparison(field, operator, written);
}

function readDisk(written: string): number {
  const gb = parseDisk(written, { disk_space: undefined });
  if (Number.isFinite(gb)) return gb;
  throw createRejection("disk", t("Enter a smaller number."));
}

function readType(written: string): RentalType {
  const type = LinkedType.safeParse(written);
  if (type.success) return type.data;
  throw createRejection("type", t("It must be “ondemand” or “bid”."));
}

const refuse = (message: string): AppError => new AppError("rejected", message);
const refuseValue = (name: string, why: string): AppError =>
  refuse(t("This link can't be opened because of its parameter “{0}”: {1}", name, why));

/** What the link asks for, over what is usual. */
export const withLinkedSearch = (search: OfferSearch, { filters, type, diskGb }: LinkedSearch): OfferSearch => ({
  ...search,
  filters: { ...search.filters, ...filters },
  type: type ?? search.type,
  diskGb: diskGb ?? search.diskGb,
});

/**
 * A link to the launch prompts of a template. The editor decodes an address once before it hands it over, so a percent sign is encoded once
 * more.
 */
export function buildLaunchLink(scheme: string, extension: string, template: TemplateHash): string {
  const query = new URLSearchParams({ template }).toString().replaceAll("%", "%25");
  return `${scheme}://${extension}/launch?${query}`;
}
