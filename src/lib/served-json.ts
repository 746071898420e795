// JSON as servers write it. Python's writes numbers that no other reader takes.

/** A text, which stays as it is, or such a number. An open quote reaches to the end. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*(?:"|$)|-?\bInfinity\b|\bNaN\b/gs;

/**
 * The value of a JSON text. `NaN` and `Infinity` are null: one such number must not cost a whole list.
 * @throws SyntaxError if it is no JSON all the same.
 */
export function parseServedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
    return JSON.parse(text.replace(TEXT_OR_NUMBER, (found) => (found.startsWith('"') ? found : "null")));
  }
}
