"use strict";
// A field and a slider for each size. The text of the field is what counts; the slider follows it as far as it reaches.

const PAGE = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

function element(name, told = {}, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(told)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

const fields = new Map(); // letter: what its row consists of
let texts = {}; // letter: what stands in its field; kept for letters that the structure shown has not

// The positions of a slider: the sizes of the models of this page among them, up to four times the largest.
function positions(name) {
  const { least, run } = PAGE.letters[name];
  const known = PAGE.models.filter((model) => name in model.values).map((model) => BigInt(model.values[name]));
  const most = known.reduce((a, b) => (b > a ? b : a), run && name !== "b" ? 32768n : 16n);
  return ladder(least, most * 4n, known);
}

function makeField(name, changed) {
  const { means, least } = PAGE.letters[name];
  const field = element("input", { id: `size-${name}`, type: "text", inputmode: "numeric", spellcheck: "false",
    "aria-label": `${name}, ${means}`, "aria-describedby": `said-${name}` });
  const steps = positions(name);
  const slider = element("input", { type: "range", min: "0", max: String(steps.length - 1), step: "1", value: "0",
    id: `slider-${name}`, "aria-label": `${name}, ${means}, slider` });
  const said = element("p", { class: "said", id: `said-${name}` });
  const label = element("label", { for: field.id }, math([letter(name)]), ` ${means}`);
  const row = element("div", { class: "size" }, label, field, slider, said);
  fields.set(name, { row, field, slider, said, steps });
  for (const one of [field, slider]) {
    for (const event of ["focus", "pointerdown"]) one.addEventListener(event, () => { along = alongWith(name); });
  }
  field.addEventListener("input", () => { put(name, field.value); changed(); });
  field.addEventListener("change", () => [name, ...along].forEach(showField));
  field.addEventListener("keydown", (event) => {
    const step = { ArrowUp: 1n, ArrowDown: -1n }[event.key];
    if (!step) return;
    event.preventDefault();
    const number = valueOf(name);
    if (number === undefined || number + step < BigInt(least)) return;
    setText(name, number + step);
    changed();
  });
  slider.addEventListener("input", () => { setText(name, steps[Number(slider.value)]); changed(); });
  return row;
}

function setText(name, number) {
  put(name, separated(number));
  fields.get(name).field.value = texts[name];
}

// A whole pass attends to all its tokens, and writes as many: t and u move with s as long as they are s. That is settled
// when s is taken hold of, for on the way to its new number it may pass theirs.
let along = [];
const alongWith = (name) => (name !== "s" ? [] : ["t", "u"].filter((other) => (
  fields.has(other) && valueOf(other) !== undefined && valueOf(other) === valueOf("s"))));

function put(name, text) {
  texts[name] = text;
  for (const other of name === "s" ? along : []) texts[other] = fields.get(other).field.value = text;
}

// The number of a size, or why its field has none.
function reading(name) {
  try {
    return { number: read(name, texts[name] ?? "", PAGE.letters[name]), fault: "" };
  } catch (error) {
    if (error instanceof Refusal) return { number: undefined, fault: error.message };
    throw error;
  }
}

const valueOf = (name) => reading(name).number;

// The field with separators, where it holds a number.
function showField(name) {
  const number = valueOf(name);
  const { field } = fields.get(name);
  if (number !== undefined) texts[name] = separated(number);
  field.value = texts[name] ?? "";
}

// Everything about a field but its text: its fault, whether it matters here, where its slider stands.
function markField(name, idle) {
  const { row, field, slider, said, steps } = fields.get(name);
  const { number, fault } = reading(name);
  field.setAttribute("aria-invalid", String(Boolean(fault)));
  row.classList.toggle("faulty", Boolean(fault));
  row.classList.toggle("idle", Boolean(idle) && !fault);
  const words = fault || idle;
  if (said.textContent !== words) said.textContent = words;
  if (number === undefined) {
    slider.setAttribute("aria-valuetext", "no number");
    return;
  }
  slider.value = String(nearest(steps, number));
  slider.setAttribute("aria-valuetext", separated(number));
}

// The last position that is not above a number, or the first.
function nearest(steps, number) {
  let place = 0;
  while (place + 1 < steps.length && steps[place + 1] <= number) place += 1;
  return place;
}

function showFields(structure, changed) {
  const focused = document.activeElement?.id;
  fields.clear();
  along = [];
  const rows = { "model-sizes": [], "run-sizes": [] };
  for (const name of structure.letters) {
    rows[PAGE.letters[name].run ? "run-sizes" : "model-sizes"].push(makeField(name, changed));
  }
  for (const [id, made] of Object.entries(rows)) byId(id).replaceChildren(...made);
  byId("run").hidden = !rows["run-sizes"].length;
  structure.letters.forEach(showField);
  if (focused && /^(size|slider)-/.test(focused)) byId(focused)?.focus();
}
