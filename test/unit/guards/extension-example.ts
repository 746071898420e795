// The example of docs/extensions.md, word for word, for the compiler.
import { type ExtensionContext, extensions, window } from "vscode";
import type { CloudGpuApi } from "../../../docs/cloud-gpu-api.d.ts";

export async function trainOnGpu(context: ExtensionContext, template: string): Promise<void> {
  const cloudGpu = await extensions.getExtension<CloudGpuApi>("cloud-gpu.cloud-gpu")?.activate();
  if (cloudGpu?.version !== 1) return;
  const item = window.createStatusBarItem();
  const show = () => {
    const running = cloudGpu.instances.filter(({ status }) => status === "running");
    const price = running.reduce((sum, { pricePerHour = 0 }) => sum + pricePerHour, 0);
    item.text = `${running.length} instances, $${price.toFixed(2)}/h`;
    item.show();
  };
  context.subscriptions.push(item, cloudGpu.onDidChange(show));
  show();
  try {
    await cloudGpu.openSummary({ template, gpu: "RTX 4090", max: 0.6, disk: 64 });
  } catch (error) {
    await window.showErrorMessage(String(error));
  }
}
