// What a template asks of a machine, and a chosen machine doesn't have.
import { describeCondition, formatCondition } from "../../domain/offer/filter-words.ts";
import type { Offer } from "../../domain/offer/offer.ts";
import { listUnmet, type UnmetFilter } from "../../domain/offer/unmet-filters.ts";
import type { Template } from "../../domain/template/template.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { formatVerified } from "../offer/offers.ts";

/** One sentence for each filter of the template that the offer is known not to meet. */
export function describeMismatches(template: Pick<Template, "extra_filters"> | undefined, offer: Offer): string[] {
  return listUnmet(template?.extra_filters ?? {}, offer).map((unmet) =>
    t("The template asks for {0}. This machine: {1}.", formatAsked(unmet), formatActual(unmet, offer)),
  );
}

/** The same in a few words, for a row; undefined if nothing is known to be missing. */
export function formatMismatches(template: Pick<Template, "extra_filters">, offer: Offer): string | undefined {
  const unmet = listUnmet(template.extra_filters ?? {}, offer);
  return unmet.length === 0 ? undefined : t("asks for {0}", unmet.map(formatAsked).join(", "));
}

const formatAsked = ({ field, condition }: UnmetFilter): string =>
  toPlainText(describeCondition(field, condition), 200);

function formatActual({ field, actual }: UnmetFilter, offer: Offer): string {
  if (field === "verified") return formatVerified(offer);
  const format = field === "num_gpus" ? describeCondition : formatCondition;
  return toPlainText(format(field, { eq: actual }), 100);
}
