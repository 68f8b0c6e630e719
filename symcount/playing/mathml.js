"use strict";
// Forms as MathML, with the rules that symcount's text has: letters side by side, a dot beside numbers and long names,
// × before a bracket of numbers. A form becomes several <math>, which a line may be broken between.

const MATHML = "http://www.w3.org/1998/Math/MathML";

function tag(name, ...inside) {
  const made = document.createElementNS(MATHML, name);
  made.append(...inside);
  return made;
}

function sign(text, told = {}) {
  const made = tag("mo", text);
  for (const [name, value] of Object.entries(told)) made.setAttribute(name, value);
  return made;
}

const TIGHT = { lspace: "0", rspace: "0" };
const BETWEEN = { lspace: "0.25em", rspace: "0.25em" };

// A letter of the table: d, n with heads below, n with index 0, L with dense below.
function letter(name) {
  const cut = name in PAGE.lowered ? name.length : name.lastIndexOf("_");
  const index = cut < 0 ? "" : name.slice(cut + 1);
  const [base, low] = PAGE.lowered[index ? name.slice(0, cut) : name] || [index ? name.slice(0, cut) : name, ""];
  const below = [...(low ? [tag("mi", low)] : []), ...(low && index ? [sign(",", TIGHT)] : []),
    ...(index ? [tag("mn", index)] : [])];
  if (low.length === 1) below[0].setAttribute("mathvariant", "normal");
  if (!below.length) return tag("mi", base);
  return tag("msub", tag("mi", base), below.length > 1 ? tag("mrow", ...below) : below[0]);
}

const bracketed = (inside) => [sign("(", { stretchy: "false" }), ...inside, sign(")", { stretchy: "false" })];

const isNumeric = (form) => form[0] === "n" || (form[0] !== "s" && form.slice(1).every((each) => (
  !Array.isArray(each) || isNumeric(typeof each[0] === "number" ? each[1] : each))));

function isLong(form) {
  const base = form[0] === "^" ? form[1] : form;
  return base[0] === "f" || (base[0] === "s" && base[1].length > 1);
}

function spell(before, factor) {
  const after = factor[0] === "^" ? factor[1] : factor;
  return before[0] === "s" && after[0] === "s" && PAGE.words.includes(before[1] + after[1]);
}

// What stands between two factors.
function between(before, factor) {
  if (factor[0] === "+" || factor[0] === "/") return isNumeric(before) && isNumeric(factor) ? "×" : "";
  return isNumeric(factor) || isLong(factor) || isLong(before) || spell(before, factor) ? "·" : "";
}

// The nodes of a form, in pieces: between two of them a line may be broken.
function pieces(form) {
  const [kind, ...held] = form;
  if (kind === "n") {
    const minus = held[0][0] === "-";
    return [[...(minus ? [sign("−", TIGHT)] : []), tag("mn", separated(minus ? held[0].slice(1) : held[0]))]];
  }
  if (kind === "s") return [[letter(held[0])]];
  if (kind === "^") return [[tag("msup", tag("mrow", ...factorNodes(held[0])), tag("mn", String(held[1])))]];
  if (kind === "/") return [[tag("mfrac", tag("mrow", ...nodes(held[0])), tag("mrow", ...nodes(held[1])))]];
  if (kind === "f") return [functionNodes(...held)];
  if (kind === "+") {
    return held.flatMap(([plus, term], i) => {
      const made = pieces(term);
      if (i) made[0].unshift(sign(plus > 0 ? "+" : "−", BETWEEN));
      else if (plus < 0) made[0].unshift(sign("−", TIGHT));
      return made;
    });
  }
  return productPieces(held);
}

function productPieces(factors) {
  const made = [[]];
  factors.forEach((factor, i) => {
    const here = i ? between(factors[i - 1], factor) : "";
    const last = made[made.length - 1];
    if (here) last.push(sign(here, here === "·" ? TIGHT : {}));
    if (factor[0] !== "+") {
      last.push(...factorNodes(factor));
      return;
    }
    const inside = pieces(factor);
    last.push(sign("(", { stretchy: "false" }), ...inside[0]);
    made.push(...inside.slice(1));
    made[made.length - 1].push(sign(")", { stretchy: "false" }));
  });
  return made;
}

const nodes = (form) => pieces(form).flat();
const factorNodes = (form) => (form[0] === "+" || form[0] === "*" ? bracketed(nodes(form)) : nodes(form));

function functionNodes(name, a, b) {
  if (name === "ceil" || name === "floor") {
    const [left, right] = name === "ceil" ? "⌈⌉" : "⌊⌋";
    return [sign(left), tag("mfrac", tag("mrow", ...nodes(a)), tag("mrow", ...nodes(b))), sign(right)];
  }
  return [tag("mi", name), ...bracketed([...nodes(a), sign(","), ...nodes(b)])];
}

const math = (inside) => tag("math", ...inside);

// A form as inline formulas, between which a line may be broken.
function formula(form) {
  return pieces(form).flatMap((inside, i) => {
    if (!i) return [math(inside)];
    // a space stands before the formula already
    if (inside[0].getAttribute("lspace") === BETWEEN.lspace) inside[0].setAttribute("lspace", "0");
    return [" ", math(inside)];
  });
}
