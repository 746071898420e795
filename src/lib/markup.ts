// What the editor takes for markup in plain sentences, made harmless: links that run commands, and icons.

/** Longer than any message that could be read; what is cut off is not searched either. */
const MOST_SHOWN = 10_000;

/** The editor draws `$(name)` as an icon: a hair space after the dollar keeps it text. */
export function defuseIcons(text: string): string {
  return text.slice(0, MOST_SHOWN).replaceAll("$(", "$\u200a(");
}

/** The editor makes `[text](command:…)` a link that runs the command: a space between the two keeps it text. */
export function defuseLinks(text: string): string {
  return text.slice(0, MOST_SHOWN).replaceAll("](", "] (");
}

/** For surfaces that draw both: the line under an input box, for one. */
export function defuse(text: string): string {
  return defuseIcons(defuseLinks(text));
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu;
/** A label's own icon. */
const OWN_ICON = /^\$\([a-z-]+\) /;

/** One bounded line without icons or invisible characters; blanks stay, as columns are made of them. */
function line(text: string, most: number): string {
  const cut = text.slice(0, most).replace(INVISIBLE, " ");
  return defuseIcons(text.length > most ? `${cut}…` : cut);
}

export interface ListItem {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
}

/**
 * An item of a list as it may be shown: nothing in it is drawn as an icon but the one its label begins with, and no
 * text of a stranger is long enough to keep the editor busy.
 */
export function harmless<T extends ListItem>(item: T): T {
  const icon = OWN_ICON.exec(item.label)?.[0] ?? "";
  return {
    ...item,
    label: icon + line(item.label.slice(icon.length), 400),
    ...(item.description === undefined ? {} : { description: line(item.description, 600) }),
    ...(item.detail === undefined ? {} : { detail: line(item.detail, 600) }),
  };
}
