// Rows as they were when a list was last read, shown until it is read again. Nothing can be done with them, so no one
// acts on what may have changed since.
import { t } from "../../lib/text.ts";
import type { RowView } from "./row.ts";
import { formatMoment } from "./state.ts";

/** What is kept of a row: what it says, without what can be done with it. */
interface SaidByRow {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly icon: string;
  readonly accessible: string;
}

export function toSaidByRow({ id, label, description, icon, accessible }: RowView): SaidByRow {
  return { id, label, description, icon: icon.replace("~spin", ""), accessible };
}

interface AsOf {
  /** Wall clock milliseconds of the reading. */
  readonly at: number;
  readonly now: number;
  /** Whether the row itself says how old it is, because it says what something costs. */
  readonly isDated: boolean;
}

/** A row as it was: dimmed, without menus, and saying how old it is. */
export function buildRememberedRow(said: SaidByRow, { at, now, isDated }: AsOf): RowView {
  const age = t("as of {0}", formatMoment(at, now));
  return {
    ...said,
    description: isDated ? [age, said.description].filter(Boolean).join(" · ") : said.description,
    color: said.icon === "" ? undefined : "disabledForeground",
    context: "remembered",
    accessible: `${said.accessible}, ${age}`,
  };
}
