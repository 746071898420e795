// Every command once: its id and what it does. One place resolves, one place catches and shows.
import { type CommandId, commands } from "../ids.ts";
import { deleteApiKey } from "./account/api-key-commands.ts";
import { signIn } from "./account/sign-in.ts";
import { signOut } from "./account/sign-out.ts";
import { switchAccount } from "./account/switch-account.ts";
import { copyWebhookUrl, showWebhook } from "./account/webhook-commands.ts";
import { createBackgroundJobs, showAnswer, unlistVolume } from "./host/host-commands.ts";
import * as actions from "./instance/instance-actions.ts";
import * as instances from "./instance/instance-commands.ts";
import { chosenAddress } from "./kit/ports.ts";
import { launchFromOffer, launchFromTemplate } from "./launch/launch-commands.ts";
import { replaceInstance } from "./launch/replace.ts";
import * as launches from "./launch/unresolved-launches.ts";
import { copyWorkergroupKey, openTemplate, showWorkergroup } from "./serverless/workergroup-commands.ts";
import type { Surroundings } from "./services.ts";
import { fetchImageTags } from "./template/image-commands.ts";
import * as templates from "./template/template-commands.ts";
import * as files from "./template/template-file-commands.ts";

type Handler = (around: Surroundings, args: readonly unknown[]) => Promise<void>;

export const handlers: Readonly<Record<CommandId, Handler>> = {
  [commands.signIn]: async (around) => {
    if ((await signIn(around.session, chosenAddress())) === "sandbox") await around.enterSandbox();
  },
  [commands.signOut]: signOut,
  [commands.switchAccount]: switchAccount,
  [commands.tryDemo]: async ({ enterSandbox }) => await enterSandbox(),
  [commands.refresh]: async ({ session, refresh }) => {
    session.askAnew();
    await refresh();
  },
  [commands.launchFromTemplate]: async (around, [given]) =>
    await launchFromTemplate(around, (await templates.templateOf(around, given))?.value),
  [commands.launchFromOffer]: async (around) => await launchFromOffer(around),
  [commands.instanceShow]: instances.show,
  [commands.instanceCopyId]: instances.copyId,
  [commands.instanceStart]: actions.start,
  [commands.instanceStop]: actions.stop,
  [commands.instanceReboot]: actions.reboot,
  [commands.instanceRename]: actions.rename,
  [commands.instanceChangeBid]: actions.changeBid,
  [commands.instanceDestroy]: actions.destroy,
  [commands.instanceReplace]: replaceInstance,
  [commands.instanceForget]: instances.forget,
  [commands.trackInstance]: instances.track,
  [commands.launchReview]: launches.review,
  [commands.templateNew]: templates.create,
  [commands.templateEdit]: templates.edit,
  [commands.templateEditOnstart]: templates.editOnstart,
  [commands.templateEditReadme]: templates.editReadme,
  [commands.templateCompressOnstart]: templates.compressOnstart,
  [commands.templateDuplicate]: templates.duplicate,
  [commands.templateCompleteMerge]: async ({ panels }, [given]) => await panels.completeMerge(given),
  [commands.templateCopyHash]: templates.copyHash,
  [commands.webhookShow]: showWebhook,
  [commands.webhookCopyUrl]: copyWebhookUrl,
  [commands.createBackgroundJobs]: createBackgroundJobs,
  [commands.unlistVolume]: unlistVolume,
  [commands.hostShowAnswer]: showAnswer,
  [commands.deleteApiKey]: deleteApiKey,
  [commands.fetchImageTags]: fetchImageTags,
  [commands.workergroupShow]: showWorkergroup,
  [commands.workergroupOpenTemplate]: openTemplate,
  [commands.workergroupCopyApiKey]: copyWorkergroupKey,
  [commands.templateDelete]: templates.remove,
  [commands.templateSaveToFile]: templates.saveToFile,
  [commands.templatePushFile]: files.pushFile,
  [commands.templatePullFile]: files.pullFile,
  [commands.templateDiffFile]: files.diffFile,
  [commands.templateRepinFile]: files.repinFile,
  [commands.templateLaunchFile]: files.launchFile,
  [commands.templateSearch]: templates.search,
  [commands.templateClearSearch]: async ({ templates: service }) => void (await service.search(undefined)),
};
