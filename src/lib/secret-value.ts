// Decides whether a variable holds a secret: by its name, or by a form that only keys of well-known services have.
import { isSecretName } from "./secret-name.ts";

/** The published forms of keys, each as a whole value. */
const FORMS: readonly RegExp[] = [
  /^(?:hf|npm|glsa|dop_v1|lin_api)_\w{20,}$/,
  /^r8_\w{20,}$/,
  /^gh[pousr]_\w{36,}$/,
  /^github_pat_\w{40,}$/,
  /^glpat-[\w-]{20,}$/,
  /^sk-[\w-]{20,}$/,
  /^(?:sk|rk)_live_\w{20,}$/,
  /^xox[abeoprs]-[\w-]{10,}$/,
  /^(?:AKIA|ASIA)[A-Z\d]{16}$/,
  /^AIza[\w-]{35}$/,
  /^(?:pypi|nvapi)-[\w-]{20,}$/,
  /^dckr_pat_[\w-]{20,}$/,
  /^\d{8,10}:[\w-]{35}$/,
  /^eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+$/,
  /^https:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/\S+$/,
  /^https:\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/webhooks\/\S+$/,
];
/** No key is longer. */
const LONGEST = 4000;

export const isSecretValue = (value: string): boolean =>
  value.length <= LONGEST && FORMS.some((form) => form.test(value));

/** Whether what a variable holds is a secret. */
export const isSecretVariable = (name: string, value: string): boolean => isSecretName(name) || isSecretValue(value);
