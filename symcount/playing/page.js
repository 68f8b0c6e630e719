"use strict";
// What is shown, and what happens: the state is a structure, a quantity and the texts of the fields.

const state = { structure: 0, quantity: Object.keys(PAGE.quantities)[0], model: 0 };
const structure = () => PAGE.structures[state.structure];

function values() {
  const found = {};
  for (const name of structure().letters) {
    const number = valueOf(name);
    if (number !== undefined) found[name] = number;
  }
  return found;
}

// A form, and what it is: heads = 12.
const named = (form, told) => (form[0] === "n" ? [exactly(evaluated(form, told))]
  : [...formula(form), " = ", exactly(evaluated(form, told))]);

// What a condition says that does not hold, as words and formulas; null where it holds.
function broken([relation, left, right, follows], told) {
  if (related(relation, evaluated(left, told), evaluated(right, told))) return null;
  const from = follows ? [math([letter(follows)]), " = "] : [];
  if (relation === "divides" && left[1] === "1") return [...from, ...named(right, told), " is not a whole number"];
  if (relation === "at most" && left[0] === "n" && (follows || left[1] === "0")) {
    return [...from, ...named(right, told), ` is less than ${left[1] === "0" ? "nothing" : left[1]}`];
  }
  return [...named(left, told), ` ${PAGE.relations[relation][1]} `, ...named(right, told)];
}

// Why there is no number, as a list of sentences; empty where there is one.
function objections(count, told) {
  if (count.refused) return [[count.refused]];
  const missing = structure().letters.filter((name) => count.held.includes(name) && !(name in told));
  const faults = missing.map((name) => [reading(name).fault]);
  if (faults.length) return faults;
  const found = [], said = new Set();
  for (const condition of count.conditions) {
    let sentence, follows = false; // what a size that is not whole does not divide by follows from why it is not
    try {
      sentence = broken(condition, told);
      follows = condition[0] === "divides" && !isWhole(evaluated(condition[2], told));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      sentence = [error.message];
    }
    const text = sentence && sentence.map((piece) => piece.textContent ?? piece).join("");
    if (sentence && !said.has(text)) found.push({ sentence, follows });
    said.add(text);
  }
  const first = found.filter((one) => !one.follows);
  return (first.length ? first : found).map((one) => one.sentence);
}

// Digits that a line may break after a comma; a table breaks only what no cell has room for.
const breakable = (text) => text.split(/(?<=,)/).flatMap((group, i) => (i ? [element("wbr"), group] : [group]));

function showTotal(count, total, reasons) {
  const text = reasons.length ? "" : exactly(total);
  const shown = reasons.length
    ? [element("p", { class: "refused" }, "No number, for"), element("ul", { class: "refused" },
      ...reasons.map((sentence) => element("li", {}, ...sentence))),
    ...(count.form ? [element("p", {}, ...formula(count.form))] : [])]
    : [element("p", {}, element("span", { class: text.length > 30 ? "exact long" : "exact" }, ...breakable(text)), " ",
      element("span", { class: "unit" }, count.unit)),
    element("p", { class: "near" }, inWords(total, count.unit))];
  const before = byId("total"), after = element("div", {}, ...shown);
  if (before.textContent !== after.textContent) before.replaceChildren(...shown);
}

function stepOf(name, form, told) {
  const lines = derivation(form, told);
  return element("div", { class: "step" }, element("h3", {}, name), element("div", { class: "lines" },
    ...lines.flatMap((line, i) => [element("span", { class: "sign" }, "="),
      element("span", { class: i === lines.length - 1 ? "line last" : "line" }, ...formula(line))])));
}

function showDetails(count, told) {
  byId("derivation").replaceChildren(...count.steps.map(([name, form]) => stepOf(name, form, told)));
  const total = evaluated(count.form, told);
  const cell = (kind, ...inside) => element("td", { class: kind, role: "cell" }, ...inside);
  const counted = (number) => {
    const text = exactly(number);
    return text.length > 24 ? cell("count long", ...breakable(text)) : cell("count", text);
  };
  const head = element("tr", { role: "row" }, ...["part", "formula", count.unit, "share"].map((word, i) => (
    element("th", { scope: "col", role: "columnheader", class: i > 1 ? "count" : "" }, word))));
  const rows = count.rows.map((row) => {
    const number = evaluated(row.form, told);
    const runs = row.runs ? [exactly(evaluated(row.runs, told)), " × "] : [];
    const share = total[0] ? hundredths(number, total) : 0n;
    const bar = element("span", { class: "bar" });
    bar.style.width = `${Number(share) / 100}%`;
    return element("tr", { class: `depth-${row.depth}`, role: "row" },
      element("th", { scope: "row", role: "rowheader" }, ...runs, row.depth > 1 ? row.part.split(".").pop() : row.part),
      cell("formula", ...formula(row.form)), counted(number),
      cell("share", element("span", { class: "track", "aria-hidden": "true" }, bar), " ",
        element("span", { class: "percent" }, percent(share))));
  });
  const last = element("tr", { role: "row" }, element("th", { scope: "row", role: "rowheader" }, "total"),
    cell("formula", ...formula(count.form)), counted(total), cell("share"));
  byId("parts").replaceChildren(...[["thead", [head]], ["tbody", rows], ["tfoot", [last]]].map(([name, inside]) => (
    element(name, { role: "rowgroup" }, ...inside))));
}

// The conventions of a count, and under which conditions its formula holds.
function showNotes(count) {
  const held = (count.conditions ?? []).filter(([relation, left, , follows]) => (
    !follows && left[1] !== "1" && !(relation === "at most" && left[0] === "n")));
  const said = (count.notes ?? []).map((note) => element("li", {}, note));
  if (held.length) {
    said.push(element("li", {}, "holds when ", ...held.flatMap(([relation, left, right], i) => [
      ...(i ? [" and "] : []), ...formula(left), ` ${PAGE.relations[relation][0]} `, ...formula(right)])));
  }
  byId("notes").replaceChildren(...(said.length ? [element("h2", {}, "Counted"), element("ul", {}, ...said)] : []));
}

function showFollows(told) {
  byId("follows").replaceChildren(...structure().follows.map(([name, form, means]) => {
    let number = [];
    try {
      const found = evaluated(form, told);
      if (form[0] !== "n" && isWhole(found)) number = [" = ", exactly(found)];
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
    return element("p", {}, math([letter(name)]), ` ${means} = `, ...formula(form), ...number);
  }));
}

function showShapes(told) {
  const widths = structure().letters.filter((name) => /^n_\d+$/.test(name));
  const known = widths.length > 1 && widths.every((name) => name in told);
  byId("shapes").hidden = !known;
  byId("shapes").textContent = known ? widths.map((name) => separated(told[name])).join(" → ") : "";
}

function render() {
  const told = values(), count = structure().quantities[state.quantity];
  const said = PAGE.quantities[state.quantity];
  for (const name of structure().letters) {
    markField(name, count.refused || count.letters.includes(name) ? "" : `no effect on ${said}`);
  }
  for (const radio of document.querySelectorAll("#quantities input")) radio.checked = radio.value === state.quantity;
  let reasons = objections(count, told), total;
  try {
    if (!reasons.length) {
      total = evaluated(count.form, told);
      showDetails(count, told);
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    reasons = [[error.message]];
  }
  byId("details").hidden = Boolean(reasons.length);
  showTotal(count, total, reasons);
  showNotes(count);
  showFollows(told);
  showShapes(told);
  byId("structure").value = String(state.structure);
  byId("model").value = String(modelShown(told));
  later();
}

// The model whose sizes these are, -1 for none.
function modelShown(told) {
  const sizes = structure().letters.filter((name) => !PAGE.letters[name].run);
  const fits = (model) => model.structure === state.structure && sizes.every((name) => (
    name in told ? String(told[name]) === model.values[name] : !(name in model.values)));
  return fits(PAGE.models[state.model]) ? state.model : PAGE.models.findIndex(fits);
}

// The sizes of a model in the fields, those of a run too where they are asked for.
function fill(place, { run }) {
  const model = PAGE.models[place];
  [state.model, state.structure] = [place, model.structure];
  for (const name of Object.keys(PAGE.letters)) {
    if (PAGE.letters[name].run && !run) continue;
    texts[name] = name in model.values ? separated(BigInt(model.values[name])) : "";
  }
}

function take(place, told) {
  fill(place, told);
  showFields(structure(), render);
  render();
}

// Another structure with the sizes that are there; what followed others keeps its number, and what there was not
// begins with that of the first model of the structure.
function reshape(place) {
  const told = values();
  for (const [name, form] of structure().follows) {
    const ready = PAGE.structures[place].letters.includes(name) && !objections(structure().quantities[state.quantity], told).length;
    if (ready) texts[name] = exactly(evaluated(form, told));
  }
  const before = structure().letters, first = PAGE.models.find((model) => model.structure === place).values;
  state.structure = place;
  for (const name of structure().letters) {
    if (!before.includes(name) && !texts[name] && name in first) texts[name] = separated(BigInt(first[name]));
  }
  showFields(structure(), render);
  render();
}

// The state as what follows # in a link.
function fragment() {
  const told = new URLSearchParams({ of: state.quantity, like: structure().model });
  for (const name of structure().letters) told.set(name, String(valueOf(name) ?? texts[name] ?? ""));
  return told.toString();
}

function restore(text) {
  const told = new URLSearchParams(text.replace(/^#/, ""));
  const place = PAGE.models.findIndex((model) => model.name === told.get("like"));
  const strange = place < 0 || !Object.hasOwn(PAGE.quantities, told.get("of"));
  say(strange && text.length > 1 ? "This link is of another page; these are the sizes to begin with." : "");
  if (strange) {
    take(0, { run: true });
    return;
  }
  state.quantity = told.get("of");
  fill(place, { run: true }); // for what the link does not say
  for (const name of structure().letters) if (told.has(name)) texts[name] = told.get(name);
  const other = [...new Set(told.keys())].filter((key) => !["of", "like", ...structure().letters].includes(key));
  if (other.length) say(`Left out of the link, for there is no such size here: ${clipped(other.join(", "))}`);
  showFields(structure(), render);
  render();
}

const link = () => `${location.href.split("#")[0]}#${fragment()}`;
let waiting;
let address = location.hash;

// The address follows the state, but not each step of a slider.
function later() {
  clearTimeout(waiting);
  waiting = setTimeout(keepAddress, 300);
}

function keepAddress() {
  clearTimeout(waiting);
  address = `#${fragment()}`;
  try {
    history.replaceState(null, "", address);
  } catch { /* within some frames a page has no address of its own */ }
}

async function copy() {
  keepAddress();
  let done = false;
  try {
    await navigator.clipboard.writeText(link());
    done = true;
  } catch { /* where there is no permission, the older way may work */ }
  if (done) {
    say("Link copied.");
    return;
  }
  const field = element("input", { type: "text", readonly: "", "aria-label": "Link", value: link() });
  say("Link: ", field);
  field.select();
  if (!document.execCommand("copy")) return; // the link is there to be copied by hand
  say("Link copied.");
  byId("copy").focus();
}

// What has happened, until something else does.
const say = (...words) => byId("told").replaceChildren(...words);

function begin() {
  for (const [name, said] of Object.entries(PAGE.quantities)) {
    const radio = element("input", { type: "radio", name: "of", value: name });
    radio.addEventListener("change", () => { state.quantity = name; render(); });
    byId("quantities").append(element("label", {}, radio, element("span", {}, said)));
  }
  byId("model").append(element("option", { value: "-1" }, "sizes of your own"),
    ...PAGE.models.map((model, i) => element("option", { value: String(i) }, model.title)));
  byId("structure").append(...PAGE.structures.map((one, i) => element("option", { value: String(i) }, one.label)));
  byId("model").parentElement.hidden = PAGE.models.length < 2;
  byId("structure").parentElement.hidden = PAGE.structures.length < 2;
  byId("model").addEventListener("change", () => {
    if (byId("model").value === "-1") render();
    else take(Number(byId("model").value), { run: false });
  });
  byId("structure").addEventListener("change", () => reshape(Number(byId("structure").value)));
  byId("reset").addEventListener("click", () => { say(); take(0, { run: true }); });
  byId("copy").addEventListener("click", copy);
  document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("input", () => say());
  window.addEventListener("hashchange", () => { if (location.hash !== address) restore(location.hash); });
  take(0, { run: true });
  if (location.hash.length > 1) restore(address = location.hash);
}

begin();
