// What a person is going to do with the machine, typed once: hours, disk and traffic.
import { html } from "lit";
import { OfferJob } from "../../domain/offer/table/job.ts";
import { t } from "../../lib/text.ts";

interface JobField {
  readonly field: keyof OfferJob;
  readonly label: () => string;
  readonly unit: () => string;
  readonly step: string;
}

const FIELDS: readonly JobField[] = [
  { field: "hours", label: () => t("Hours"), unit: () => t("h"), step: "1" },
  { field: "diskGb", label: () => t("Disk"), unit: () => t("GB disk"), step: "1" },
  { field: "downGb", label: () => t("Download"), unit: () => t("GB down"), step: "1" },
  { field: "upGb", label: () => t("Upload"), unit: () => t("GB up"), step: "1" },
  { field: "imageGb", label: () => t("Size of the image"), unit: () => t("GB image"), step: "0.1" },
];

/** `change` is called when something else was typed that makes sense. */
export function renderJobBar(job: OfferJob, change: (job: OfferJob) => void) {
  const take = (name: keyof OfferJob, input: HTMLInputElement) => {
    const text = input.value.trim();
    const value = name === "imageGb" && text === "" ? undefined : Number(text);
    const read = OfferJob.shape[name].safeParse(text === "" && name !== "imageGb" ? undefined : value).data;
    // What makes no sense becomes what was there before, except that nothing is a size that no one knows.
    const sensible = read === value ? value : job[name];
    input.value = sensible === undefined ? "" : String(sensible);
    if (sensible === job[name]) return;
    const { [name]: _, ...rest } = job;
    change(OfferJob.parse(sensible === undefined ? rest : { ...rest, [name]: sensible }));
  };
  return html`<fieldset class="job">
    <legend>${t("Your job")}</legend>
    ${FIELDS.map(
      ({ field, label, unit, step }) => html`<label>
        <input
          type="number"
          min="0"
          step=${step}
          inputmode="decimal"
          aria-label=${label()}
          placeholder=${field === "imageGb" ? "?" : ""}
          .value=${String(job[field] ?? "")}
          @change=${({ target }: Event) => target instanceof HTMLInputElement && take(field, target)}
        />
        <span aria-hidden="true">${unit()}</span>
      </label>`,
    )}
  </fieldset>`;
}
