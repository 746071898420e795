// The JSON schema of a template file's machine filters: each known field with its name and unit, and the comparisons that it takes.
import { OPERATORS, type Operator } from "../offer/filter.ts";
import { FILTER_FIELDS, type FilterField, hasOrder } from "../offer/filter-rows.ts";
import { isMemory } from "../offer/filter-units.ts";
import { formatFieldName } from "../offer/filter-words.ts";

type Schema = Readonly<Record<string, unknown>>;

const COMPARISONS: Readonly<Record<Operator, string>> = {
  eq: "Equal to (=).",
  neq: "Not equal to (≠).",
  lt: "Less than (<).",
  lte: "At most (≤).",
  gt: "More than (>).",
  gte: "At least (≥).",
  in: "One of these.",
  notin: "None of these.",
};

const EXAMPLES: Readonly<Record<string, unknown>> = {
  gpu_name: "RTX 4090",
  geolocation: "SE",
  driver_version: "550.54.15",
};

/** The unit of the wire, in which a file has its numbers. */
function unitOf(name: string, { unit }: FilterField): string | undefined {
  if (isMemory(name)) return "MB (24 GB cards report a little less: 22500)";
  if (name === "reliability") return "a share from 0 to 1";
  if (name === "duration") return "seconds";
  if (name === "compute_cap") return "hundredths: 890 for 8.9";
  return unit;
}

function describeField(name: string, field: FilterField): string {
  const said = formatFieldName(name);
  const common = said === name ? "" : `${said.charAt(0).toUpperCase()}${said.slice(1)}. `;
  if (field.kind === "yes-no") return `${common}true or false.`;
  if (field.kind === "text") return `${common}Text${name in EXAMPLES ? `, such as "${EXAMPLES[name]}"` : ""}.`;
  const unit = unitOf(name, field);
  return unit === undefined
    ? `${common}A number.`
    : `${common}A number in ${unit}.`.replace("in a share", "as a share");
}

/** What the editor offers; any comparison is taken, and the extension says what can't be meant. */
function listComparisons(field: FilterField): Operator[] {
  if (hasOrder(field)) return [...OPERATORS];
  return field.kind === "text" ? ["eq", "neq", "in", "notin"] : ["eq", "neq"];
}

/** `condition` is the schema of one field's comparisons. */
export function buildFilterSchema(condition: Schema): Schema {
  const taken = condition.properties as Readonly<Record<string, Schema>>;
  const conditionOf = (name: string, field: FilterField): Schema => {
    const description = describeField(name, field);
    const offered = listComparisons(field).map((operator): [string, Schema] => [
      operator,
      {
        ...taken[operator],
        description: `${COMPARISONS[operator]} ${description}`,
        ...(field.kind === "yes-no" ? { examples: [true, false] } : {}),
        ...(name in EXAMPLES && !["in", "notin"].includes(operator) ? { examples: [EXAMPLES[name]] } : {}),
      },
    ]);
    const others = OPERATORS.filter((operator) => !offered.some(([one]) => one === operator));
    return {
      description,
      type: "object",
      properties: Object.fromEntries(offered),
      ...(others.length > 0 ? { patternProperties: { [`^(${others.join("|")})$`]: {} } } : {}),
      additionalProperties: false,
    };
  };
  const known = Object.entries(FILTER_FIELDS).map(([name, field]) => [name, conditionOf(name, field)]);
  return { type: "object", properties: Object.fromEntries(known), additionalProperties: condition };
}
