"use strict";
// Exact arithmetic over the trees of forms: a value is a pair [top, bottom] of BigInts, reduced, its bottom above 0.
// Nothing here rounds but `rounded`, `scaled` and `hundredths`, which say so in what they return.

class Refusal extends Error {}

function fraction(top, bottom = 1n) {
  if (bottom === 0n) throw new Refusal("a division by zero");
  if (bottom < 0n) [top, bottom] = [-top, -bottom];
  let [a, b] = [top < 0n ? -top : top, bottom];
  while (b) [a, b] = [b, a % b];
  return a > 1n ? [top / a, bottom / a] : [top, bottom];
}

const plus = (a, b) => fraction(a[0] * b[1] + b[0] * a[1], a[1] * b[1]);
const times = (a, b) => fraction(a[0] * b[0], a[1] * b[1]);
const over = (a, b) => fraction(a[0] * b[1], a[1] * b[0]);
const compare = (a, b) => { const one = a[0] * b[1], other = b[0] * a[1]; return one < other ? -1 : one > other ? 1 : 0; };
const isWhole = (a) => a[1] === 1n;
const below = (a) => (a[0] < 0n && a[0] % a[1] ? a[0] / a[1] - 1n : a[0] / a[1]);
const above = (a) => -below([-a[0], a[1]]);

function whole(a, what) {
  if (!isWhole(a)) throw new Refusal(`${what} is not a whole number: ${exactly(a)}`);
  return a;
}

// What a form is for these values, {letter: BigInt}.
function evaluated(form, values) {
  const [kind, ...held] = form;
  switch (kind) {
    case "n":
      return [BigInt(held[0]), 1n];
    case "s":
      if (!(held[0] in values)) throw new Refusal(`${held[0]} has no value`);
      return [values[held[0]], 1n];
    case "^": {
      const base = evaluated(held[0], values), power = BigInt(held[1]);
      return fraction(base[0] ** power, base[1] ** power);
    }
    case "*":
      return held.reduce((product, factor) => times(product, evaluated(factor, values)), [1n, 1n]);
    case "+":
      return held.reduce((sum, [sign, term]) => plus(sum, times([BigInt(sign), 1n], evaluated(term, values))), [0n, 1n]);
    case "/":
      return over(evaluated(held[0], values), evaluated(held[1], values));
    case "f":
      return called(held[0], evaluated(held[1], values), evaluated(held[2], values));
  }
  throw new Refusal(`unknown form ${kind}`);
}

function called(name, a, b) {
  if (name === "min") return whole(compare(a, b) <= 0 ? a : b, "the smaller of two sizes");
  const quotient = over(a, b);
  if (name === "floor") return [below(quotient), 1n];
  if (name === "ceil") return [above(quotient), 1n];
  return times([above(quotient), 1n], whole(b, "what is rounded up to a multiple of"));
}

// Whether a relation holds of two values; what divides another, and what it divides, is whole.
function related(relation, a, b) {
  if (relation === "divides") return a[0] !== 0n && isWhole(a) && isWhole(b) && b[0] % a[0] === 0n;
  const order = compare(a, b);
  return relation === "at most" ? order <= 0 : relation === "less" ? order < 0 : order === 0;
}

// The same form with every letter that has a value replaced by its number.
function substituted(form, values) {
  const [kind, ...held] = form;
  if (kind === "s") return held[0] in values ? ["n", String(values[held[0]])] : form;
  if (kind === "n") return form;
  if (kind === "^") return ["^", substituted(held[0], values), held[1]];
  if (kind === "+") return ["+", ...held.map(([sign, term]) => [sign, substituted(term, values)])];
  if (kind === "f") return ["f", held[0], ...held.slice(1).map((each) => substituted(each, values))];
  return [kind, ...held.map((each) => substituted(each, values))];
}

const numeral = (a) => (isWhole(a) ? ["n", String(a[0])] : ["/", ["n", String(a[0])], ["n", String(a[1])]]);

// A product with its brackets as numbers: 32(4·4,096² + …) is 32 × 202,383,360.
function gathered(form, values) {
  if (form[0] === "*" && form.slice(1).some((factor) => factor[0] === "+")) {
    const apart = form.slice(1).filter((factor) => factor[0] !== "+");
    const brackets = form.slice(1).filter((factor) => factor[0] === "+");
    const first = apart.length ? [numeral(evaluated(["*", ...apart], values))] : [];
    return ["*", ...first, ...brackets.map((factor) => numeral(evaluated(factor, values)))];
  }
  return numeral(evaluated(form, values));
}

// The lines of a derivation, each a form that equals the one before: formula, numbers, partial numbers, total.
function derivation(form, values) {
  const total = evaluated(form, values);
  const terms = form[0] === "+" ? form.slice(1) : [[1, form]];
  const sum = (made) => (form[0] === "+" ? ["+", ...terms.map(([sign, term]) => [sign, made(term)])] : made(form));
  const lines = [form, substituted(form, values), sum((term) => gathered(term, values)),
    sum((term) => numeral(evaluated(term, values))), numeral(total)];
  for (const line of lines) {
    if (compare(evaluated(line, values), total)) throw new Refusal("a line of the derivation does not follow");
  }
  return lines.filter((line, i) => !i || JSON.stringify(line) !== JSON.stringify(lines[i - 1]));
}

// Digits in groups of three, always with a comma.
const separated = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",").replace("-", "−");
const exactly = (a) => separated(a[0]) + (isWhole(a) ? "" : "/" + separated(a[1]));

// A share in hundredths of a percent, rounded half up.
const hundredths = (part, all) => below(over(plus(times([20000n, 1n], part), all), times([2n, 1n], all)));
const percent = (share) => `${share / 100n}.${String(share % 100n).padStart(2, "0")} %`;

// Three digits and a word, rounded half up.
function rounded(a) {
  let digits = String(below(a)).length;
  const unit = 10n ** BigInt(digits - 3);
  let three = below(over(plus(times([2n, 1n], a), [unit, 1n]), [2n * unit, 1n]));
  if (three === 1000n) [three, digits] = [100n, digits + 1];
  const told = String(three);
  if (digits > 15) return `${told[0]}.${told.slice(1)}e${digits - 1}`;
  const word = ["thousand", "million", "billion", "trillion"][Math.floor((digits - 1) / 3) - 1];
  const point = ((digits - 1) % 3) + 1;
  return `${told.slice(0, point)}.${told.slice(point)}`.replace(/\.$/, "") + ` ${word}`;
}

// So many digits, or all before the point, rounded half up; a is at least 1.
function significant(a, least) {
  const digits = Math.max(least, String(below(a)).length);
  let places = digits - String(below(a)).length;
  const exact = times(a, [10n ** BigInt(places), 1n]);
  let near = below(plus(exact, [1n, 2n]));
  if (String(near).length > digits) [near, places] = [near / 10n, places - 1];
  if (places <= 0) return separated(near * 10n ** BigInt(-places));
  const scale = 10n ** BigInt(places);
  const told = `${separated(near / scale)}.${String(near % scale).padStart(places, "0")}`;
  return isWhole(exact) ? told.replace(/\.?0+$/, "") : told;
}

// Bytes in units of 1000 and of 1024.
function inBytes(a) {
  return [[1000n, ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"]],
    [1024n, ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]]].map(([step, names]) => {
    let unit = 0;
    while (unit + 1 < names.length && compare(a, [step ** BigInt(unit + 1), 1n]) >= 0) unit += 1;
    const told = significant(over(a, [step ** BigInt(unit), 1n]), 4);
    return told === separated(step) && unit + 1 < names.length ? `1 ${names[unit + 1]}` : `${told} ${names[unit]}`;
  }).join(", ");
}

const inWords = (a, unit) => (compare(a, [1000n, 1n]) < 0 ? "" : unit === "bytes" ? inBytes(a) : rounded(a));

const clipped = (text) => (text.length > 40 ? text.slice(0, 39) + "…" : text);

// The number that a text is: digits, in groups of three or not; else a Refusal that says what is needed.
const LONGEST = 30;
function read(name, text, { means, least }) {
  const told = text.trim(), needed = `${means} is a whole number of at least ${least}`;
  if (!told) throw new Refusal(`${name} is empty: ${needed}`);
  if (!/^(\d+|\d{1,3}(,\d{3})+)$/.test(told)) throw new Refusal(`${name} = ${clipped(told)}: ${needed}, in digits`);
  const digits = told.replaceAll(",", "").replace(/^0+(?=\d)/, "");
  if (digits.length > LONGEST) throw new Refusal(`${name} has ${digits.length} digits; up to ${LONGEST} are read`);
  const number = BigInt(digits);
  if (number < BigInt(least)) throw new Refusal(`${name} = ${separated(number)}: ${needed}`);
  return number;
}

// Every number up to 16, then eight to each doubling, which powers of two divide; and the numbers that are known.
function ladder(least, top, known) {
  const found = least ? [] : [0n];
  for (let n = 1n; n <= 16n; n += 1n) found.push(n);
  for (let step = 2n; found[found.length - 1] < top; step *= 2n) for (let i = 9n; i <= 16n; i += 1n) found.push(i * step);
  return [...new Set([...found, ...known])].sort((a, b) => (a < b ? -1 : 1));
}
