// Where machines are: services name a country ("Sweden, SE", or only ", US") and compare its two letters (interface 4.2).
import { t, toPlainText } from "../../lib/text.ts";
import type { Condition } from "./filter.ts";

/** The countries of each region, by their two letters (ISO 3166-1). */
const COUNTRIES = {
  europe:
    "AD AL AT AX BA BE BG BY CH CY CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS RU SE SI SJ SK SM UA VA XK",
  northAmerica:
    "AG AI AW BB BL BM BQ BS BZ CA CR CU CW DM DO GD GL GP GT HN HT JM KN KY LC MF MQ MS MX NI PA PM PR SV SX TC TT US VC VG VI",
  southAmerica: "AR BO BR CL CO EC FK GF GY PE PY SR UY VE",
  asia: "AE AF AM AZ BD BH BN BT CN GE HK ID IL IN IQ IR JO JP KG KH KP KR KW KZ LA LB LK MM MN MO MV MY NP OM PH PK PS QA SA SG SY TH TJ TL TM TR TW UZ VN YE",
  oceania: "AS AU CK FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TO TV VU WF WS",
  africa:
    "AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG ML MR MU MW MZ NA NE NG RE RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW",
} as const;

type Region = keyof typeof COUNTRIES;
export const REGIONS = Object.keys(COUNTRIES) as Region[];

/** The two letters of a region's countries. */
export const listCountries = (region: Region): readonly string[] => COUNTRIES[region].split(" ");

/** The two letters at the end of a place, or undefined. */
export function readPlaceCode(place: string | undefined): string | undefined {
  return /(?:^|, )([A-Z]{2})$/.exec(place?.slice(-60) ?? "")?.[1];
}

export function formatRegionName(region: Region): string {
  return {
    europe: t("Europe"),
    northAmerica: t("North America"),
    southAmerica: t("South America"),
    asia: t("Asia"),
    oceania: t("Oceania"),
    africa: t("Africa"),
  }[region];
}

/** The countries that a condition names. */
export function listPlaces({ eq, in: any }: Condition): ReadonlySet<string> {
  return new Set((any ?? (eq === undefined ? [] : [eq])).map(String));
}

/** The countries of a condition as one text. A region whose countries are all there is named instead of them. */
export function formatPlaces(raw: unknown): string {
  const left = new Set((Array.isArray(raw) ? raw : [raw]).map(String));
  const whole = REGIONS.filter((region) => listCountries(region).every((code) => left.has(code)));
  for (const code of whole.flatMap(listCountries)) left.delete(code);
  return [...whole.map(formatRegionName), ...[...left].map((code) => toPlainText(code, 40))].join(", ");
}
