// Every identifier that package.json and the code share, defined once. A test compares the two both ways.

export const EXTENSION = "cloud-gpu.cloud-gpu";
export const CONTAINER = "cloudGpu";
export const CHANNEL = "Cloud GPU";
/** Of tasks in `tasks.json`. */
export const TASK_TYPE = "cloudGpu";

export const views = {
  instances: "cloudGpu.instances",
  templates: "cloudGpu.templates",
  webhooks: "cloudGpu.webhooks",
  workergroups: "cloudGpu.workergroups",
  host: "cloudGpu.host",
} as const;

export const commands = {
  agentShare: "cloudGpu.agent.share",
  agentStopSharing: "cloudGpu.agent.stopSharing",
  signIn: "cloudGpu.signIn",
  signOut: "cloudGpu.signOut",
  switchAccount: "cloudGpu.switchAccount",
  renameAccount: "cloudGpu.renameAccount",
  sandboxTry: "cloudGpu.sandbox.try",
  sandboxFail: "cloudGpu.sandbox.fail",
  sandboxOutbid: "cloudGpu.sandbox.outbid",
  sandboxSkip: "cloudGpu.sandbox.skip",
  refresh: "cloudGpu.refresh",
  helpGetStarted: "cloudGpu.help.getStarted",
  helpShowLog: "cloudGpu.help.showLog",
  agentLetRent: "cloudGpu.agent.letRent",
  agentEndGrant: "cloudGpu.agent.endGrant",
  costsShow: "cloudGpu.costs.show",
  spendingShow: "cloudGpu.spending.show",
  spendingExport: "cloudGpu.spending.export",
  openRow: "cloudGpu.row.open",
  launchFromTemplate: "cloudGpu.launchFromTemplate",
  launchFromOffer: "cloudGpu.launchFromOffer",
  offersExplore: "cloudGpu.offers.explore",
  offersWatch: "cloudGpu.offers.watch",
  offersWatches: "cloudGpu.offers.watches",
  groupLaunch: "cloudGpu.group.launch",
  groupExport: "cloudGpu.group.export",
  groupRun: "cloudGpu.group.run",
  groupStop: "cloudGpu.group.stop",
  groupDestroy: "cloudGpu.group.destroy",
  groupSetAutoStop: "cloudGpu.group.setAutoStop",
  groupRename: "cloudGpu.group.rename",
  overlayShow: "cloudGpu.overlay.show",
  instanceShow: "cloudGpu.instance.show",
  instanceCopyId: "cloudGpu.instance.copyId",
  instanceStart: "cloudGpu.instance.start",
  instanceStop: "cloudGpu.instance.stop",
  instanceReboot: "cloudGpu.instance.reboot",
  instanceRename: "cloudGpu.instance.rename",
  instanceSetAutoStop: "cloudGpu.instance.setAutoStop",
  instanceChangeBid: "cloudGpu.instance.changeBid",
  instanceBlockMachine: "cloudGpu.instance.blockMachine",
  instanceDestroy: "cloudGpu.instance.destroy",
  instanceReplace: "cloudGpu.instance.replace",
  instanceSameAgain: "cloudGpu.instance.sameAgain",
  instanceForget: "cloudGpu.instance.forget",
  instanceOpenTerminal: "cloudGpu.instance.openTerminal",
  instanceOpenPersistentTerminal: "cloudGpu.instance.openPersistentTerminal",
  instanceCopySshCommand: "cloudGpu.instance.copySshCommand",
  instanceShowLogs: "cloudGpu.instance.showLogs",
  instanceShowDaemonLog: "cloudGpu.instance.showDaemonLog",
  instanceOpenLog: "cloudGpu.instance.openLog",
  instanceOpenRemoteWindow: "cloudGpu.instance.openRemoteWindow",
  instanceOpenProject: "cloudGpu.instance.openProject",
  instanceOpenJupyter: "cloudGpu.instance.openJupyter",
  instanceOpenPort: "cloudGpu.instance.openPort",
  portOpenPublicly: "cloudGpu.port.openPublicly",
  portCopyAddress: "cloudGpu.port.copyAddress",
  portStopForwarding: "cloudGpu.port.stopForwarding",
  instanceUpload: "cloudGpu.instance.upload",
  instanceDownload: "cloudGpu.instance.download",
  runFile: "cloudGpu.run.file",
  runAgain: "cloudGpu.run.again",
  runContinue: "cloudGpu.run.continue",
  runSecrets: "cloudGpu.run.secrets",
  runShow: "cloudGpu.run.show",
  runReattach: "cloudGpu.run.reattach",
  runOutput: "cloudGpu.run.output",
  sshRemoveFromConfig: "cloudGpu.ssh.removeFromConfig",
  instanceTrack: "cloudGpu.instance.track",
  launchReview: "cloudGpu.launch.review",
  launchBackToSummary: "cloudGpu.launch.backToSummary",
  templateNew: "cloudGpu.template.new",
  templateEdit: "cloudGpu.template.edit",
  templateEditStartScript: "cloudGpu.template.editStartScript",
  templateEditReadme: "cloudGpu.template.editReadme",
  templateShowStartScript: "cloudGpu.template.showStartScript",
  templateShowReadme: "cloudGpu.template.showReadme",
  templateCompressStartScript: "cloudGpu.template.compressStartScript",
  templateDuplicate: "cloudGpu.template.duplicate",
  templateCompleteMerge: "cloudGpu.template.completeMerge",
  templateCopyHash: "cloudGpu.template.copyHash",
  templateCopyLink: "cloudGpu.template.copyLink",
  webhookShow: "cloudGpu.webhook.show",
  webhookCopyUrl: "cloudGpu.webhook.copyUrl",
  createBackgroundJobs: "cloudGpu.host.createBackgroundJobs",
  volumeMount: "cloudGpu.volume.mount",
  unlistVolume: "cloudGpu.host.unlistVolume",
  hostShowLastResponse: "cloudGpu.host.showLastResponse",
  deleteApiKey: "cloudGpu.account.deleteApiKey",
  fetchImageTags: "cloudGpu.image.fetchTags",
  workergroupShow: "cloudGpu.workergroup.show",
  workergroupOpenTemplate: "cloudGpu.workergroup.openTemplate",
  workergroupCopyApiKey: "cloudGpu.workergroup.copyApiKey",
  templateDelete: "cloudGpu.template.delete",
  templateNewFile: "cloudGpu.template.newFile",
  templateSaveToFile: "cloudGpu.template.saveToFile",
  templatePushFile: "cloudGpu.template.pushFile",
  templatePullFile: "cloudGpu.template.pullFile",
  templateDiffFile: "cloudGpu.template.diffFile",
  templateRepinFile: "cloudGpu.template.repinFile",
  templateLaunchFile: "cloudGpu.template.launchFile",
  templateSearch: "cloudGpu.template.search",
  templateClearSearch: "cloudGpu.template.clearSearch",
} as const;
export type CommandId = (typeof commands)[keyof typeof commands];
/** What can be done with a row. */
export type RowCommand = Exclude<CommandId, typeof commands.openRow>;

/** Kinds of panels. Restoring one after a reload starts the extension. */
export const panels = { template: "cloudGpu.template" } as const;

/** Kinds of panels that are gone after a reload: what they show is a command away, or may not be stored. */
export const pages = {
  jobs: "cloudGpu.jobs",
  launch: "cloudGpu.launch",
  offers: "cloudGpu.offers",
  record: "cloudGpu.record",
  spending: "cloudGpu.spending",
} as const;

/** Kinds of terminals, under the + of the editor's terminals. */
export const terminals = { instance: "cloudGpu.machine" } as const;

/** The URI scheme of template parts in their own tabs. Restoring such a tab after a reload starts the extension. */
export const fileSystem = "cloud-gpu-template";

/** The one setting that is read before anything is loaded: an object would bring all of them along. */
export const BASE_URL = "cloudGpu.baseUrl";

export const settings = {
  baseUrl: BASE_URL,
  refreshActive: "cloudGpu.refresh.activeSeconds",
  refreshIdle: "cloudGpu.refresh.steadySeconds",
  connectProxyCommand: "cloudGpu.connect.proxyCommand",
  connectUseSshConfig: "cloudGpu.connect.useSshConfig",
  syncRemoteFolder: "cloudGpu.transfer.remoteFolder",
  limitPricePerHour: "cloudGpu.limits.pricePerHour",
  limitTotalPerHour: "cloudGpu.limits.totalPerHour",
  limitInstances: "cloudGpu.limits.instances",
  limitReliability: "cloudGpu.limits.reliability",
  limitVerifiedOnly: "cloudGpu.limits.verifiedOnly",
  limitBlockedMachines: "cloudGpu.limits.blockedMachines",
  limitBlockedHosts: "cloudGpu.limits.blockedHosts",
  replaceAutomatic: "cloudGpu.replacement.automatic",
  replacePriceRise: "cloudGpu.replacement.maxPriceIncrease",
  replaceTries: "cloudGpu.replacement.maxAttempts",
  autoStopDefault: "cloudGpu.autoStop.default",
  idleMinutes: "cloudGpu.idle.notifyAfterMinutes",
  idlePercent: "cloudGpu.idle.gpuLoadThreshold",
  watchMinutes: "cloudGpu.priceWatch.intervalMinutes",
} as const;

/** Context keys that menus and welcome texts check. */
export const contexts = {
  /** `signedOut` or `signedIn`. */
  session: "cloudGpu.session",
  /** True if another window signed in and this window must reload to follow. */
  elsewhere: "cloudGpu.signedInElsewhere",
  /** True if there is an account to switch to. */
  accounts: "cloudGpu.hasAccounts",
  /** True if an account that isn't in use had something rented when it was last read. */
  otherRentals: "cloudGpu.hasOtherRentals",
  /** True if there is a group. */
  groups: "cloudGpu.hasGroups",
  /** True if a launch may have rented something, or rented more than one. */
  unresolved: "cloudGpu.hasUnresolvedLaunches",
  /** True if the person's SSH configuration has the line that includes ours. */
  sshLine: "cloudGpu.hasSshLine",
  /** True while this window is in the embedded sandbox, where one can rehearse. */
  rehearsal: "cloudGpu.inEmbeddedSandbox",
  /** True while the tools are shared with other agents. */
  sharing: "cloudGpu.isSharingTools",
  /** True while a summary is read in full: there is something to go back to. */
  reading: "cloudGpu.reading",
  /**
   * Why a view has no rows: `signedOut`, `loading`, `empty`, `unreachable`, `refused`, `forbidden`; otherwise `rows`.
   */
  instances: "cloudGpu.instances.why",
  templates: "cloudGpu.templates.why",
  webhooks: "cloudGpu.webhooks.why",
  workergroups: "cloudGpu.workergroups.why",
  host: "cloudGpu.host.why",
} as const;

/** Names of stored items: in secret storage, in the notes, and in the folder that all windows share. */
export const stored = {
  /** Secret: the key of a profile. A profile's ID begins with the origin that the key is bound to. */
  apiKey: (profile: string): string => `cloudGpu.key ${profile}`,
  /** Note: the profile that is active for an origin. */
  activeProfile: (origin: string): string => `profile-of ${origin}`,
  /** Note: a profile's address and name. */
  profile: (id: string): string => `profile ${id}`,
  /** Note: what an account had rented when it was last read; none if nothing. By a digest of the account. */
  reading: (account: string): string => `reading ${account}`,
  /** Note: what was rented in a profile's account, also after it is gone. */
  pastRentals: (profile: string): string => `past-rentals ${profile}`,
  /** Note: the profile whose form of a launch is kept. By the form's name in secret storage. */
  launchForm: (name: string): string => `launch-form ${name}`,
  /** Note: this profile was signed out of, but its key couldn't be removed. */
  leftKey: (profile: string): string => `left-key ${profile}`,
  /** Note: the person was told that Jupyter's address contains its token. */
  jupyterTokenTold: "jupyter-token-told",
  /** Note: searches for offers that the person gave a name. */
  namedSearches: "named-searches",
  /** Note: the columns of the page of offers, and what was typed on it. */
  offersLayout: "offers-layout",
  /** Note: the search that each template was last launched with. */
  lastSearches: "last-searches",
  /** Note of a workspace: which file says what a folder of it needs, and between which ones the person chose. */
  projectEnvironment: (folder: string): string => `project-environment ${folder}`,
  /** Note of a workspace: what is opened once an instance with a template is ready. */
  whenReady: (template: string): string => `when-ready ${template}`,
  /** File: windows use it to tell each other about a sign-in or sign-out. */
  broadcast: "session-broadcast.json",
} as const;

/** Suffix of template file names. */
export const templateFileSuffix = ".gpu-template.json";

export const environment = {
  /** The sandbox that `npm start` runs beside the editor. Loopback only. */
  sandboxUrl: "CLOUD_GPU_SANDBOX_URL",
  sandboxKey: "CLOUD_GPU_SANDBOX_KEY",
  /** Set by `npm start`: the views are in front when the window opens. */
  showViews: "CLOUD_GPU_SHOW_VIEWS",
  /** In place of `~/.ssh/cloud-gpu` and of the person's own configuration, for tests: they leave both alone. */
  sshFolder: "CLOUD_GPU_SSH_DIR",
  sshConfig: "CLOUD_GPU_SSH_CONFIG",
  /** Lets an editor in a browser go through what opens a window on a machine, for tests: it can't open one. */
  remoteWindows: "CLOUD_GPU_REMOTE_WINDOWS",
} as const;

/** Splits a setting's ID into section and key. */
export function splitSetting(id: string): [string, string] {
  const at = id.lastIndexOf(".");
  return [id.slice(0, at), id.slice(at + 1)];
}
