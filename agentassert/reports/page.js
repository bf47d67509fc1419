"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const [list, details, search, told, nothing, help] = ["tests", "details", "search", "told", "nothing", "help"].map(byId);
  const rows = [...list.querySelectorAll('[role="option"]')];
  const groups = [...list.querySelectorAll('[role="group"]')];
  const filters = [...document.querySelectorAll("button[data-kind]")];
  /* The text was escaped when the report was written, and the policy of the page lets nothing run that is not this script. */
  const asWritten = { createHTML: (text) => text };
  const trusted = window.trustedTypes ? trustedTypes.createPolicy("agentassert", asWritten) : asWritten;
  const entities = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };
  const atOnce = 200;
  const mostMarked = 3000;
  const mostOpened = 50;
  const texts = new Map();
  let shown = rows;
  let selected = null;
  let terms = [];
  let waiting = 0;
  let longLists = [];

  const htmlOf = (row) => JSON.parse(byId(row.id.replace("test", "details")).textContent);
  const plain = (html) => html.replace(/<[^>]*>/g, "").replace(/&(amp|lt|gt|quot|#x27);/g, (_, name) => entities[name]);
  const counted = (number) => number.toLocaleString("en");
  const failed = (row) => row.dataset.ending === "failed" || row.dataset.ending === "error";

  function textOf(row) {
    if (!texts.has(row)) {
      texts.set(row, `${row.dataset.key}\n${plain(htmlOf(row))}`.toLowerCase());
    }
    return texts.get(row);
  }

  const termsOf = (query) => [...query.toLowerCase().matchAll(/"([^"]+)"|[^\s"]+/g)].map((found) => found[1] ?? found[0]);

  function apply() {
    terms = termsOf(search.value);
    const wanted = filters.filter((one) => one.getAttribute("aria-pressed") === "true").map((one) => one.dataset.kind);
    const fits = (row) =>
      (wanted.length === 0 || row.dataset.kinds.split(" ").some((kind) => wanted.includes(kind))) &&
      terms.every((term) => textOf(row).includes(term));
    shown = rows.filter(fits);
    const kept = new Set(shown);
    for (const row of rows) row.hidden = !kept.has(row);
    for (const group of groups) group.hidden = !group.querySelector('[role="option"]:not([hidden])');
    nothing.hidden = shown.length > 0;
    told.textContent = `${shown.length === rows.length ? "" : `${counted(shown.length)} of `}${counted(rows.length)} tests`;
    for (const row of rows) row.tabIndex = -1;
    const entry = kept.has(selected) ? selected : shown[0];
    if (entry) entry.tabIndex = 0;
    longLists = longLists.filter(({ list }) => details.contains(list));
    longLists.forEach(thin);
    mark();
  }

  function select(row, { focus = true } = {}) {
    if (!row) return;
    if (selected) {
      selected.setAttribute("aria-selected", "false");
      selected.tabIndex = -1;
    }
    for (const other of shown.slice(0, 1)) other.tabIndex = -1;
    selected = row;
    row.setAttribute("aria-selected", "true");
    row.tabIndex = 0;
    row.scrollIntoView({ block: "nearest" });
    if (focus) row.focus({ preventScroll: true });
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(show);
  }

  /* Once a frame at most, so that a key held down does not make the details of every test that it passes. */
  function show() {
    longLists = [];
    details.replaceChildren(byId("back"), ...made(htmlOf(selected)));
    details.scrollTop = 0;
    details.setAttribute("aria-label", `Details of ${selected.dataset.key}`);
    history.replaceState(null, "", `#${encodeURIComponent(selected.dataset.key)}`);
    mark();
  }

  /* The items of the outermost long lists are cut out of the text, and made when they are looked at. */
  function withoutLongLists(html) {
    const open = [];
    let cuts = [];
    for (const tag of html.matchAll(/<(\/?)(ul|li)\b[^>]*>/g)) {
      const end = tag.index + tag[0].length;
      const inner = open.at(-1);
      if (tag[0].startsWith("<ul")) open.push({ start: end, items: [] });
      else if (tag[0].startsWith("<li")) inner.item = tag.index;
      else if (tag[2] === "li") inner.items.push(html.slice(inner.item, end));
      else if (open.pop().items.length > atOnce) {
        cuts = [...cuts.filter((cut) => cut.start < inner.start), { ...inner, end: tag.index }];
      }
    }
    let [text, place] = ["", 0];
    for (const cut of cuts) {
      text += `${html.slice(place, cut.start)}<li class="later"></li>`;
      place = cut.end;
    }
    return { text: text + html.slice(place), lists: cuts.map((cut) => cut.items) };
  }

  function made(html) {
    const { text, lists } = withoutLongLists(html);
    const { body } = new DOMParser().parseFromString(trusted.createHTML(text), "text/html");
    const later = [...body.querySelectorAll("li.later")];
    for (const [place, items] of lists.entries()) {
      const long = { list: later[place].parentElement, items };
      longLists.push(long);
      thin(long);
    }
    return body.childNodes;
  }

  /* Of a list of thousands only what is searched for is shown, and of that only what is asked for. */
  function thin(long) {
    const { list, items } = long;
    if (terms.length > 0) long.texts ??= items.map((item) => plain(item).toLowerCase());
    const found = items.filter((_, place) => terms.some((term) => long.texts[place].includes(term)));
    list.replaceChildren();
    grow(list, found.length > 0 ? found : items);
    const others = items.length - found.length;
    if (found.length > 0 && others > 0) list.append(line(`… ${counted(others)} others without what is searched for …`));
  }

  function grow(list, items, before = null) {
    const [whole] = made(`<ul>${items.slice(0, atOnce).join("")}</ul>`);
    const nodes = [...whole.children];
    for (const node of nodes) list.insertBefore(node, before);
    const rest = items.slice(atOnce);
    if (rest.length > 0) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `${counted(rest.length)} more`;
      const more = list.insertBefore(line(button), before);
      button.addEventListener("click", () => {
        const [first] = grow(list, rest, more);
        more.remove();
        mark();
        first.querySelector("summary")?.focus();
      });
    }
    return nodes;
  }

  function line(...content) {
    const item = document.createElement("li");
    item.className = "more";
    item.append(...content);
    return item;
  }

  function read() {
    if (!selected) return;
    document.body.classList.add("reading");
    details.focus();
  }

  function leave() {
    document.body.classList.remove("reading");
    const row = selected && !selected.hidden ? selected : shown[0];
    if (row) row.focus();
  }

  function move(steps) {
    const place = shown.indexOf(selected);
    const next = place < 0 ? 0 : Math.min(Math.max(place + steps, 0), shown.length - 1);
    select(shown[next]);
  }

  function nextFailure(direction) {
    const start = Math.max(shown.indexOf(selected), direction > 0 ? -1 : 0);
    for (let distance = 1; distance <= shown.length; distance += 1) {
      const row = shown[(start + direction * distance + shown.length * 2) % shown.length];
      if (failed(row)) return select(row);
    }
    told.textContent = "None of the tests shown failed";
  }

  function found(root) {
    const ranges = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (terms.length > 0 && ranges.length < mostMarked && walker.nextNode()) {
      const node = walker.currentNode;
      const text = node.data.toLowerCase();
      if (text.length !== node.data.length) continue;
      for (const term of terms) {
        for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + term.length)) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + term.length);
          ranges.push(range);
        }
      }
    }
    return ranges;
  }

  function mark() {
    const inside = found(details);
    for (const range of inside.slice(0, mostOpened)) {
      for (let node = range.startContainer.parentElement; node !== details; node = node.parentElement) {
        const summary = node.tagName === "DETAILS" && node.querySelector(":scope > summary");
        if (summary && !summary.contains(range.startContainer)) node.open = true;
      }
    }
    if (window.Highlight) CSS.highlights.set("found", new Highlight(...inside, ...found(list)));
  }

  function showAll() {
    search.value = "";
    for (const one of filters) one.setAttribute("aria-pressed", "false");
    apply();
  }

  const keys = {
    "/": () => search.select(),
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Home: () => select(shown[0]),
    End: () => select(shown.at(-1)),
    Enter: read,
    n: () => nextFailure(1),
    N: () => nextFailure(-1),
    "?": () => help.showModal(),
  };
  /* Elsewhere these keys do what they do on every page: scroll, press a button, open a part of a tree. */
  const inListAlone = new Set(["ArrowDown", "ArrowUp", "Home", "End", "Enter"]);

  function escape() {
    if (document.activeElement === search) {
      if (search.value === "") return leave();
      search.value = "";
      return apply();
    }
    if (details.contains(document.activeElement)) return leave();
    return showAll();
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const active = document.activeElement;
    let action = keys[event.key];
    if (active === search) {
      action = event.key === "Enter" || event.key === "ArrowDown" ? () => select(shown[0]) : undefined;
    } else if (inListAlone.has(event.key) && active !== document.body && !list.contains(active)) {
      action = undefined;
    }
    if (event.key === "Escape") action = escape;
    if (!action) return;
    event.preventDefault();
    action();
  });

  search.addEventListener("input", apply);
  for (const one of filters) {
    one.addEventListener("click", () => {
      one.setAttribute("aria-pressed", String(one.getAttribute("aria-pressed") !== "true"));
      apply();
    });
  }
  list.addEventListener("click", (event) => {
    const row = event.target.closest('[role="option"]');
    if (!row) return;
    select(row);
    document.body.classList.add("reading");
  });
  byId("back").addEventListener("click", leave);
  byId("ask").addEventListener("click", () => help.showModal());
  byId("all").addEventListener("click", showAll);
  byId("close").addEventListener("click", () => help.close());

  /* While nobody does anything, so that the first search need not wait. */
  function readAhead(place) {
    if (place === rows.length) return;
    textOf(rows[place]);
    requestIdleCallback(() => readAhead(place + 1));
  }

  apply();
  if (window.requestIdleCallback) readAhead(0);
  const linked = location.hash && rows.find((row) => `#${encodeURIComponent(row.dataset.key)}` === location.hash);
  if (linked) document.body.classList.add("reading");
  select(linked || rows.find(failed) || rows[0], { focus: false });
})();
