// The editor's merge view in front of a person.
import type { Workbench } from "../../editor/page.ts";
import { SOON, until } from "../support.ts";

/** Takes our side of the only conflict and leaves the view with it. */
export async function mergeMine(window: Workbench): Promise<void> {
  await acceptMine(window);
  await completeMerge(window);
  await window.page.locator(".merge-editor").waitFor({ state: "detached", timeout: SOON });
}

/** The view's links are drawn again while the differences are counted, and a click may be lost. */
async function acceptMine({ page }: Workbench): Promise<void> {
  const merge = page.locator(".merge-editor");
  await until("our side is taken", async () => {
    if (await merge.getByText("Remove Mine", { exact: true }).first().isVisible()) return true;
    const accept = merge.getByText("Accept Mine", { exact: true }).first();
    await accept.click({ timeout: 3000 }).catch(() => {});
    await merge
      .getByText("Remove Mine", { exact: true })
      .first()
      .waitFor({ timeout: 2000 })
      .catch(() => {});
    return false;
  });
}

export async function completeMerge({ page }: Workbench): Promise<void> {
  await page.locator(".editor-actions").getByRole("button", { name: "Complete Merge" }).click({ timeout: SOON });
}
