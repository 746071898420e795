// A new row of a table is incomplete until it is filled in, which is no mistake yet.

/** A row of a field's table that was just added, until the focus leaves it. */
export interface NewRow {
  readonly field: string;
  readonly row: number;
}

export const isNewRow = (newRow: NewRow | undefined, field: string, row: number | undefined): boolean =>
  newRow !== undefined && newRow.field === field && newRow.row === row;
