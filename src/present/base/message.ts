// A message to the person, in words.

export interface Message {
  readonly severity: "info" | "warning" | "error";
  readonly text: string;
}
