// Neutralizes what the editor reads as markup in plain text: links that run commands, and icons.

/** Longer than any readable message. The rest is cut off without being searched. */
const MOST_SHOWN = 10_000;

/** The editor draws `$(name)` as an icon. A hair space after the dollar sign keeps it text. */
export function defuseIcons(text: string): string {
  return text.slice(0, MOST_SHOWN).replaceAll("$(", "$\u200a(");
}

/**
 * The editor turns `[text](command:…)` into a link that runs the command. A space between the two parts keeps it text.
 */
export function defuseLinks(text: string): string {
  return text.slice(0, MOST_SHOWN).replaceAll("](", "] (");
}

/** For places that draw both icons and links, such as the line under an input box. */
export function defuse(text: string): string {
  return defuseIcons(defuseLinks(text));
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu;
/** A label's own icon. */
const OWN_ICON = /^\$\([a-z-]+\) /;

/** One bounded line without icons or invisible characters. Spaces stay, because columns are aligned with them. */
function line(text: string, most: number): string {
  const cut = text.slice(0, most).replace(INVISIBLE, " ");
  return defuseIcons(text.length > most ? `${cut}…` : cut);
}

interface ListItem {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
}

/**
 * A list item that is safe to show: only the icon at the start of its label is drawn, and no foreign text is long
 * enough to slow down the editor.
 */
export function defuseItem<T extends ListItem>(item: T): T {
  const icon = OWN_ICON.exec(item.label)?.[0] ?? "";
  return keepSides({
    ...item,
    label: icon + line(item.label.slice(icon.length), 400),
    ...(item.description === undefined ? {} : { description: line(item.description, 600) }),
    ...(item.detail === undefined ? {} : { detail: line(item.detail, 600) }),
  });
}

/** Hebrew, Arabic, and other writing that runs from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A name from right to left would draw the price beside it to its own other side: each of the two keeps its place. */
export function keepSides<T extends Pick<ListItem, "label" | "description">>(item: T): T {
  const { label, description = "" } = item;
  if (!RIGHT_TO_LEFT.test(label) && !RIGHT_TO_LEFT.test(description)) return item;
  const icon = OWN_ICON.exec(label)?.[0] ?? "";
  return {
    ...item,
    label: `${icon}\u2068${label.slice(icon.length)}\u2069`,
    ...(description === "" ? {} : { description: `\u2066${description}\u2069` }),
  };
}

/** Whether the editor shows a list item for what is typed: as one piece, in any of the item's texts, in any case. */
export function matchesTyped({ label, description = "", detail = "" }: ListItem, typed: string): boolean {
  const wanted = typed.trim().toLowerCase();
  const texts = [label.replace(OWN_ICON, ""), description, detail];
  return texts.some((text) => text.toLowerCase().includes(wanted));
}

/** Words beyond these are passed over. */
const MOST_WORDS = 12;

/**
 * Whether each word that is typed is somewhere in a list item, in any order and any case. A number with a unit is found with or without a
 * space between them: `24gb` finds `24 GB`.
 */
export function matchesWords({ label, description = "", detail = "" }: ListItem, typed: string): boolean {
  const text = [label.replace(OWN_ICON, ""), description, detail].join("\n").toLowerCase();
  const words = typed.slice(0, 400).toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
  return words.every((word) => text.includes(word) || hasQuantity(text, word));
}

function hasQuantity(text: string, word: string): boolean {
  const [, amount, unit] = /^(\d[\d.,]*)([a-z]+)$/.exec(word) ?? [];
  if (amount === undefined || unit === undefined) return false;
  const wanted = `${amount} ${unit}`;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1))
    if (!/[\d.,]/.test(text[at - 1] ?? "")) return true;
  return false;
}
