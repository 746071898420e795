// Styles that a template sets on an element one by one: the pages' policy allows no style attribute.
import { Directive, directive, type ElementPart } from "lit/directive.js";

type Styles = Readonly<Record<string, string>>;

class Styled extends Directive {
  #before: Styles = {};

  render(_styles: Styles): undefined {
    return undefined;
  }

  override update({ element }: ElementPart, [styles]: [Styles]): undefined {
    if (!(element instanceof HTMLElement)) return;
    for (const [name, value] of Object.entries(styles))
      if (this.#before[name] !== value) element.style.setProperty(name, value);
    this.#before = styles;
  }
}

/** `<div ${styled({ top: "22px" })}>`: always the same properties, with changing values. */
export const styled = directive(Styled);
