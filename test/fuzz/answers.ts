// Good answers of every operation, and ways to spoil them: seeded, so that a failure can be seen again.

export type Random = () => number;

/** mulberry32: small, seeded, good enough to spoil things. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const template = { id: 5, hash_id: "abc", name: "n", image: "a/b", extra_filters: { gpu_ram: { gte: 1 } } };
const instance = { id: 41, actual_status: "running", label: "l", dph_total: 0.5, gpu_name: "RTX 4090", num_gpus: 1 };
const offer = {
  id: 7,
  gpu_name: "RTX 4090",
  num_gpus: 1,
  dph_total: 0.4,
  gpu_ram: 24564,
  reliability: 0.99,
  verified: true,
};

/** Operation → a good answer. Lists hold several records, so that one can be spoiled beside good ones. */
export const GOOD: Readonly<Record<string, unknown>> = {
  createBackgroundJobs: { success: true, machine_id: 7, user_id: 1, you_sent: { machine: 7 } },
  searchOffers: { offers: [offer, { ...offer, id: 8 }, { ...offer, id: 9 }] },
  createInstance: { success: true, new_contract: 41, instance_api_key: "k" },
  getInstance: { instances: instance },
  searchTemplates: { success: true, templates: [template, { ...template, id: 6, hash_id: "abd" }] },
  createTemplate: { success: true, template },
  editTemplate: { success: true, template },
  deleteTemplate: { success: true },
  unlistVolume: { success: true, msg: "Unlisted Volume 1." },
  listWebhooks: {
    success: true,
    webhooks: [
      { id: 1, webhook_url: "https://h", event_types: ["x"] },
      { id: 2, event_types: [] },
    ],
  },
  listWorkergroups: { success: true, results: [{ id: 1, endpoint_name: "e", api_key: "kkkkkkkk" }, { id: 2 }] },
  fetchImageTags: { success: true, tags: ["1", "2"] },
  deleteApiKey: "Successfully Deleted API Key",
  listInstances: {
    success: true,
    instances: [instance, { ...instance, id: 42 }],
    instances_found: 2,
    next_token: null,
  },
  destroyInstance: { success: true },
  destroyInstances: {
    success: false,
    results: [
      { id: 41, success: true },
      { id: 42, success: false, error: "busy" },
    ],
  },
  setInstanceState: { success: true },
  setInstancesState: {
    success: true,
    results: [
      { id: 41, success: true },
      { id: 42, success: true },
    ],
  },
  attachSshKey: { success: true, msg: "SSH key attached", key: "{}" },
  listInstanceSshKeys: { success: true, ssh_keys: '[{"id":1,"public_key":"ssh-ed25519 AAAA me"}]' },
  listMachines: { machines: [{ id: 7, gpu_name: "RTX 4090" }, { id: 8 }] },
  createVolume: { success: true, volume_name: "V.1" },
  deleteVolume: { success: true },
  getCurrentUser: { id: 1, username: "u", credit: 3 },
  listVolumes: { volumes: [{ id: 1, label: "v", instances: [] }] },
  listApiKeys: { apikeys: [{ id: 1, name: "k", key: null }] },
};

/** Stands for 20,000 levels of lists, which no JSON.stringify could write. */
const DEEP = "@deep@";
const DEEP_JSON = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;

const JUNK: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  "",
  "x",
  "12",
  "\ud800",
  "a\udfffb ".repeat(20),
  DEEP,
  { deeper: [DEEP] },
  // IDs of something else, or of nothing.
  42,
  "42",
  "../1",
  "9007199254740993",
  { id: 42 },
  { error: "not_found", msg: "Not Found" },
  { error: "no_such_instance", msg: "Instance 42 does not exist." },
  [],
  {},
  [[]],
  { __proto__: 1 },
  { success: false },
];

/** Replaces, drops, adds or nests one thing somewhere in a value. */
export function spoil(value: unknown, random: Random): unknown {
  const pickOne = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  if (typeof value !== "object" || value === null || random() < 0.15) return pickOne(JUNK);
  if (Array.isArray(value)) {
    const copy = [...value];
    const at = Math.floor(random() * (copy.length + 1));
    if (random() < 0.3) copy.splice(at, 0, pickOne(JUNK));
    else copy[at] = spoil(copy[at], random);
    return copy;
  }
  const entries = Object.entries(value);
  const at = Math.floor(random() * entries.length);
  const [name] = entries[at] ?? ["x"];
  if (random() < 0.25) return Object.fromEntries(entries.filter(([other]) => other !== name));
  return { ...value, [name]: spoil((value as Record<string, unknown>)[name], random) };
}

/** An answer as bytes: mostly a spoiled good one, now and then something that is no answer at all. */
export function answer(good: unknown, random: Random): { status: number; body: Buffer } {
  const status =
    random() < 0.7 ? 200 : ([400, 401, 403, 404, 410, 429, 500, 502, 503, 302, 204][Math.floor(random() * 11)] ?? 200);
  const text = (JSON.stringify(spoil(good, random)) ?? "").replaceAll(`"${DEEP}"`, DEEP_JSON);
  const kind = random();
  if (kind < 0.05) return { status, body: Buffer.from(text.slice(0, Math.floor(random() * text.length))) };
  if (kind < 0.08) return { status, body: Buffer.from(Array.from({ length: 20 }, () => Math.floor(random() * 256))) };
  if (kind < 0.1) return { status, body: Buffer.from("<html><body>nope</body></html>") };
  return { status, body: Buffer.from(text) };
}
