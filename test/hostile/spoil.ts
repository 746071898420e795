// Makes an answer hostile in every text of it, and leaves what the product needs to get any further: IDs, states, prices.
import type { Rotation } from "./payloads.ts";
import { HONEST, hostilePorts, NO_HOST, PORTED } from "./ports.ts";

/** Without these there would be nothing to look at: what names things to the service, and what decides what comes next. */
const KEPT =
  /^(.*_)?(id|ids|hash|hash_id|token|status|state|key_type|type|runtype|verification|verified|api_key|msg|error)$|^(label|next_token|rented|logs|result_url)$/;
/** Texts that decide nothing although they are called so. */
const SPOILED = new Set(["status_msg", "docker_login_repo", "jupyter_token"]);
/** Rows are found by how these begin. */
const HEADED = new Set(["label", "gpu_name", "name", "username", "endpoint_name"]);
/** A launch's machines and what is saved again must stay possible: the template the walk launches and edits. */
export const WALKED = "My nightly";
const WALKED_KEEPS = new Set(["image", "tag", "extra_filters", "onstart", "env", "args_str"]);

type Json = Record<string, unknown>;

/** A copy whose own `__proto__` is a field like any other, as JSON has it. */
function withTraps(record: Json, rotation: Rotation): Json {
  const bad = (field: string) => rotation.next(field, String(record.id ?? record.hash_id));
  const deep = Array.from({ length: 12 }).reduce<unknown>((inner) => ({ [bad("deep")]: inner }), bad("deepest"));
  const value = { [bad("proto")]: bad("proto") };
  const traps = { ...record, zz_deep: deep, constructor: bad("constructor") };
  return Object.defineProperty(traps, "__proto__", { value, enumerable: true });
}

function spoilText(field: string, text: string, rotation: Rotation): string {
  const bad = rotation.next(field, text);
  // Whose label bears the mark of a launch keeps it.
  if (HEADED.has(field)) return `${text} ${bad}`;
  return KEPT.test(field) && !SPOILED.has(field) ? text : `${bad} ${text}`;
}

/** A service refuses to search by a name it doesn't know; this template's filters are all known ones. */
const SEARCHED = "ComfyUI";

function spoilFilters(filters: unknown, rotation: Rotation, isSearched: boolean): unknown {
  if (typeof filters !== "object" || filters === null || Array.isArray(filters)) return filters;
  const name = JSON.stringify(filters);
  if (isSearched) return { ...filters, geolocation: { neq: rotation.next("filter value", name) } };
  const bad = { [rotation.next("filter name", name)]: { eq: rotation.next("filter value", name) } };
  return { ...filters, ...bad, constructor: { in: ["a", "b"] } };
}

function spoilRecord(record: Json, rotation: Rotation): Json {
  const name = String(record.name);
  const [isWalked, isSearched] = [name.startsWith(WALKED), name.startsWith(SEARCHED)];
  const isPorted = String(record.label).startsWith(PORTED);
  const spoiled = Object.fromEntries(
    Object.entries(record).map(([field, value]) => {
      if (isPorted && field === "ports") return [field, hostilePorts()];
      if (isPorted && field === "public_ipaddr") return [field, HONEST.host];
      if (isPorted && field === "ssh_host") return [field, NO_HOST];
      if (isWalked && WALKED_KEEPS.has(field)) return [field, value];
      if (field === "extra_filters" && typeof value === "string")
        return [field, JSON.stringify(spoilFilters(JSON.parse(value), rotation, isSearched))];
      if (field === "extra_filters" || field === "search_query")
        return [field, spoilFilters(value, rotation, isSearched)];
      return [field, spoil(value, rotation, field)];
    }),
  );
  return "id" in record || "hash_id" in record ? withTraps(spoiled, rotation) : spoiled;
}

export function spoil(value: unknown, rotation: Rotation, field = ""): unknown {
  if (typeof value === "string") return spoilText(field, value, rotation);
  if (Array.isArray(value)) return value.map((item) => spoil(item, rotation, field));
  if (typeof value === "object" && value !== null) return spoilRecord(value as Json, rotation);
  return value;
}
