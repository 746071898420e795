// A question before money is spent or something is lost, in words.

export interface Question {
  readonly message: string;
  readonly detail: string;
  /** The button that goes ahead. */
  readonly go: string;
  /** The button that does nothing. It is the default button if going ahead loses something permanently. */
  readonly keep?: string;
  /** What the editor's own Cancel is called. For questions where nothing is lost that couldn't be had again. */
  readonly close?: string;
}
