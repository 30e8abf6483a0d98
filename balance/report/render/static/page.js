"use strict";
// What every report can do: light and dark, copying, sorting and searching tables, terms explained, contents that
// follow along. Without it the page is still whole. Text is only ever set as text, never parsed as markup.

const page = {
  // An element with attributes, listeners (`onclick`) and children; strings become text.
  make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === false || value === null || value === undefined) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? "" : String(value));
    }
    element.append(...children.flat(4).filter((child) => child !== null && child !== undefined));
    return element;
  },

  // Tell those who listen instead of looking.
  say(text) {
    document.getElementById("said").textContent = text;
  },

  async copy(text, button) {
    let done = false;
    try {
      await navigator.clipboard.writeText(text);
      done = true;
    } catch {
      const area = page.make("textarea", { class: "unseen" });
      area.value = text;
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
      button.focus();
    }
    const before = button.dataset.label ?? button.textContent;
    button.dataset.label = before;
    button.textContent = done ? "Copied" : "Not copied";
    page.say(button.textContent);
    setTimeout(() => { button.textContent = before; }, 1500);
  },

  code(text, kind = "") {
    const pre = page.make("pre", { tabindex: 0 }, page.make("code", {}, text));
    const button = page.make("button", { type: "button", class: "copy", onclick: () => page.copy(text, button) }, "Copy");
    return page.make("div", { class: `code ${kind}` }, pre, button);
  },

  download(name, address) {
    const link = page.make("a", { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
  },

  dark() {
    const theme = document.documentElement.dataset.theme;
    return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  },

  // Called whenever light and dark change places, also for printing, which is always light.
  onTheme: [],
  themeChanged(dark = page.dark()) {
    const button = document.getElementById("theme");
    button.textContent = page.dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${page.dark() ? "light" : "dark"} colours`);
    for (const listener of page.onTheme) listener(dark);
  },
};

// --- light and dark
{
  const button = document.getElementById("theme");
  button.hidden = false;
  button.addEventListener("click", () => {
    const theme = page.dark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    try { localStorage.setItem("balance-theme", theme); } catch { /* then it is forgotten */ }
    page.themeChanged();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => page.themeChanged());
  addEventListener("beforeprint", () => page.themeChanged(false));
  addEventListener("afterprint", () => page.themeChanged());
  page.themeChanged();
}

// --- copying
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", () => page.copy(button.parentElement.querySelector("code").textContent, button));
}

// --- what is folded opens when a link leads into it, and for paper
{
  const reveal = () => {
    const target = location.hash.includes("=") ? null : document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const inner = target.querySelector(":scope > details.entry");
    for (let at = inner ?? target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    const row = target.closest("tr");
    if (row) row.hidden = false;
    target.scrollIntoView(row ? { block: "center" } : true);
  };
  addEventListener("hashchange", reveal);
  const entries = [...document.querySelectorAll("details.entry")];
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = entries.filter((entry) => !entry.open);
    for (const entry of closed) entry.open = true;
  });
  addEventListener("afterprint", () => { for (const entry of closed) entry.open = false; });
  if (location.hash) reveal();
}

// --- tables
{
  const sortKey = (cell) => {
    if (!("v" in cell.dataset)) return cell.textContent.trim();
    return cell.dataset.v === "none" ? null : Number(cell.dataset.v);
  };
  const compare = (a, b) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  };
  const sortBy = (table, index, heading) => {
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows].map((row) => [sortKey(row.cells[index]), row]);
    // What has no number stays at the end, whichever way.
    rows.sort(([a], [b]) => (a === null || b === null ? compare(a, b) : down ? compare(b, a) : compare(a, b)));
    table.tBodies[0].append(...rows.map(([, row]) => row));
    table.dispatchEvent(new Event("sorted"));
    page.say(`Sorted by ${heading.textContent}, ${down ? "falling" : "rising"}`);
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((heading, index) => {
      if (table.tBodies[0].rows.length < 2) return;
      const button = page.make("button", { type: "button", class: "sort", onclick: () => sortBy(table, index, heading) });
      button.append(...heading.childNodes);
      if (heading.dataset.help) button.dataset.tip = heading.dataset.help;
      heading.append(button);
    });
  }
  for (const table of document.querySelectorAll("table.long")) {
    const block = table.closest(".block");
    const seek = block.querySelector(".seek");
    const more = block.querySelector(".more");
    const folded = Number(table.dataset.folded);
    let open = false;
    const refresh = () => {
      const words = seek.value.toLowerCase().split(/\s+/).filter(Boolean);
      let seen = 0;
      for (const row of table.tBodies[0].rows) {
        const text = row.textContent.toLowerCase();
        const found = words.every((word) => text.includes(word));
        row.hidden = !found || (!open && !words.length && seen >= folded);
        seen += found;
      }
      more.hidden = words.length > 0;
      more.textContent = open ? `Show the first ${folded} rows only` : `Show all ${table.tBodies[0].rows.length} rows`;
      more.setAttribute("aria-expanded", String(open));
    };
    seek.closest(".tools").hidden = false;
    seek.addEventListener("input", refresh);
    more.addEventListener("click", () => { open = !open; refresh(); });
    table.addEventListener("sorted", refresh);
    addEventListener("beforeprint", () => { for (const row of table.tBodies[0].rows) row.hidden = false; });
    addEventListener("afterprint", refresh);
    refresh();
  }
}

// --- terms, explained on hover and focus
{
  const tip = document.getElementById("tip");
  let owner = null;
  const explanation = (element) => {
    if (element.dataset.tip) return element.dataset.tip;
    return document.getElementById(element.getAttribute("href").slice(1))?.nextElementSibling?.textContent;
  };
  const hide = () => {
    tip.hidden = true;
    owner?.removeAttribute("aria-describedby");
    owner = null;
  };
  const show = (event) => {
    const element = event.target.closest?.("a.term, [data-tip]");
    if (!element || element === owner) return;
    const text = explanation(element);
    if (!text) return;
    hide();
    owner = element;
    owner.setAttribute("aria-describedby", "tip");
    tip.textContent = text;
    tip.hidden = false;
    const box = element.getBoundingClientRect();
    const left = Math.max(8, Math.min(box.left, document.documentElement.clientWidth - tip.offsetWidth - 8));
    const above = box.bottom + tip.offsetHeight + 12 > innerHeight && box.top > tip.offsetHeight + 12;
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${(above ? box.top - tip.offsetHeight - 6 : box.bottom + 6) + scrollY}px`;
  };
  document.addEventListener("mouseover", (event) => {
    show(event);
    if (owner && document.activeElement !== owner && !event.target.closest?.("#tip") && !owner.contains(event.target)) hide();
  });
  document.addEventListener("focusin", show);
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
}

// --- contents that follow along
{
  const links = new Map([...document.querySelectorAll("nav.contents a")].map((link) => [link.getAttribute("href").slice(1), link]));
  const sections = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  const details = document.querySelector("nav.contents details");
  let waiting = false;
  const follow = () => {
    waiting = false;
    let current = sections[0];
    if (scrollY > 10) for (const section of sections) if (section.getBoundingClientRect().top < innerHeight / 3) current = section;
    for (const [id, link] of links) {
      if (id === current?.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  addEventListener("scroll", () => { if (!waiting) { waiting = true; requestAnimationFrame(follow); } }, { passive: true });
  const narrow = matchMedia("(max-width: 60rem)");
  const fit = () => { details.open = !narrow.matches; };
  narrow.addEventListener("change", fit);
  details.addEventListener("click", (event) => { if (narrow.matches && event.target.closest("a")) details.open = false; });
  fit();
  follow();
}
