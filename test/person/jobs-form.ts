// The form for background jobs in front of a person.
import type { Workbench } from "../editor/page.ts";
import { focusedName, frameOf } from "./page-look.ts";
import { until } from "./support.ts";
import { button, field, says } from "./template-form.ts";

export const REQUIRED = {
  "Machine ID": "123",
  Image: "pytorch/pytorch:latest",
  "GPU Price": "4.80",
  "Upload Price": "0.01",
  "Download Price": "0.02",
} as const;

/** Opens the form again. Whoever types before the focus has arrived types into another field. */
export async function openJobs(window: Workbench): Promise<void> {
  await window.command("Cloud GPU: Create Background Jobs");
  await says(window, /^Replaces the machine's default jobs/);
  await until("the focus is in the machine", async () => (await focusedName(await frameOf(window))) === "Machine ID");
}

/** Fills in what is required. */
export async function fillJobs(window: Workbench, machine: string): Promise<void> {
  for (const [label, text] of Object.entries({ ...REQUIRED, "Machine ID": machine }))
    await field(window, label).fill(text);
}

export const reviewJobs = (window: Workbench): Promise<void> => button(window, "Review and Create…").click();
