"use strict";
// The atlas: a matrix of all pairs (Apache ECharts), the same as a list, and a panel for each pair. What is shown is
// said by the address alone (#pair=a+b&players=4&metric=length&strength=field), so that links, back and forward work.
// The numbers are the model's (balance/report/render/html.py): JSON, packed by gzip, in base64.
const unpacked = async (text) => {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
};
(async () => {
  const { make, say } = page;
  const data = await unpacked(document.getElementById("atlas-data").textContent);
  const byId = (id) => document.getElementById(id);
  const size = data.variants.length;
  const indexOf = new Map(data.variants.map(({ id }, index) => [id, index]));
  const metricOf = new Map(data.metrics.map((metric) => [metric.id, metric]));
  const viewOf = new Map(data.views.map((view, index) => [`${view.players} ${view.lineup}`, index]));
  const SIGNS = { b: "×", u: "?", e: "~", f: "✓", ".": "–" };
  const RANK = { b: 0, u: 1, e: 2, f: 3, ".": 4 };
  const word = (name) => data.words[name] ?? name;
  const lower = (text) => text.charAt(0).toLowerCase() + text.slice(1);
  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

  // --- the numbers

  const place = (i, j) => {
    const [low, high] = i < j ? [i, j] : [j, i];
    return low * size - (low * (low - 1)) / 2 + high - low;
  };
  const estimate = (group, name, k) => {
    const found = group[name];
    const value = found?.values[k] ?? null;
    if (value === null) return null;
    const scaled = (end) => (end === null ? null : end / data.scale);
    return { value: value / data.scale, low: scaled(found.lows[k]), high: scaled(found.highs[k]) };
  };
  const name = (index) => data.variants[index].name;
  const title = ([i, j]) => (i === j ? `${name(i)} alone` : `${name(Math.min(i, j))} + ${name(Math.max(i, j))}`);
  // Rounded as the tables beside the atlas are: halves to the even digit, percents with a decimal near 0 and 100.
  const fixed = (x, digits) => {
    const [whole, rest] = Math.abs(x).toFixed(40).split(".");
    if (/^50*$/.test(rest.slice(digits))) {
      const kept = BigInt(whole + rest.slice(0, digits));
      const even = String(kept + (kept % 2n)).padStart(digits + 1, "0");
      const text = digits ? `${even.slice(0, -digits)}.${even.slice(-digits)}` : even;
      return x < 0 && kept + (kept % 2n) ? `-${text}` : text;
    }
    return x.toFixed(digits);
  };
  const grouped = (x) => Number(fixed(x, 0)).toLocaleString("en-US");
  const written = (kind, x) => {
    if (x === null || x === undefined) return "–";
    if (kind === "share") {
      const percent = 100 * x;
      return `${fixed(percent, (percent >= 10 && percent <= 90) || percent === 0 || percent === 100 ? 0 : 1)}%`;
    }
    if (kind === "integer") return grouped(x);
    return Math.abs(x) < 100 ? fixed(x, 2) : grouped(x);
  };
  page.written = written;
  const ends = (kind, { low, high }) => {
    if (low === null && high === null) return "";
    if (low === null) return `at most ${written(kind, high)}`;
    if (high === null) return `at least ${written(kind, low)}`;
    return `${written(kind, low)} to ${written(kind, high)}`;
  };
  const accepted = (metric) => {
    const text = ends(metric.kind, metric);
    return text ? `accepted: ${text}` : "no accepted range, shown only";
  };
  const counted = (count, noun) => `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;

  // --- the state, as the address says it

  const first = {
    pair: null,
    metric: "verdict",
    players: data.players.includes(4) ? 4 : data.players[0],
    strength: data.lineups.length > 1 ? "all" : data.lineups[0][0],
    show: "any",
    sort: "name",
    as: "",
  };
  let state = { ...first };
  let query = "";

  const address = (wanted) => {
    const parts = [];
    if (wanted.pair) {
      const ids = wanted.pair[0] === wanted.pair[1] ? [wanted.pair[0]] : wanted.pair;
      parts.push(`pair=${ids.map((index) => encodeURIComponent(data.variants[index].id)).join("+")}`);
    }
    for (const key of ["players", "metric", "strength", "show", "sort", "as"]) {
      if (wanted[key] !== first[key] || (wanted.pair && ["players", "metric", "strength"].includes(key))) {
        parts.push(`${key}=${encodeURIComponent(wanted[key])}`);
      }
    }
    return parts.length ? `#${parts.join("&")}` : "#atlas";
  };

  const read = (hash) => {
    if (!hash.includes("=")) return { ...state, pair: null };
    const wanted = { ...first };
    for (const part of hash.slice(1).split("&")) {
      const cut = part.indexOf("=");
      const [key, raw] = [part.slice(0, cut), part.slice(cut + 1)];
      let value;
      try { value = decodeURIComponent(raw); } catch { continue; }
      if (key === "pair") {
        const ids = raw.split("+").map((id) => { try { return decodeURIComponent(id); } catch { return id; } });
        const indices = ids.map((id) => indexOf.get(id));
        if (ids.length > 2 || indices.includes(undefined)) {
          wanted.problem = `This report does not know ${ids.filter((id) => !indexOf.has(id)).join(", ") || value}.`;
        } else {
          wanted.pair = [indices[0], indices[indices.length - 1]];
        }
      } else if (key === "players") {
        if (data.players.includes(Number(value))) wanted.players = Number(value);
      } else if (key === "metric") {
        if (value === "verdict" || metricOf.has(value)) wanted.metric = value;
      } else if (key === "strength") {
        const found = data.lineups.find(([lineup, strength]) => value === lineup || value === strength);
        if (found) wanted.strength = found[0];
        else if (value === "all" && first.strength === "all") wanted.strength = "all";
      } else if (key === "show" && "buef".includes(value) && value.length === 1) wanted.show = value;
      else if (key === "sort" && ["name", "broken", "value"].includes(value)) wanted.sort = value;
      else if (key === "as" && ["matrix", "list"].includes(value)) wanted.as = value;
    }
    // A number stands for one strength of play; only verdicts are taken over all of them.
    if (wanted.metric !== "verdict" && wanted.strength === "all") Object.assign(wanted, { strength: data.usual, moved: true });
    return wanted;
  };

  const go = (changes) => {
    const wanted = { ...state, ...changes };
    if (wanted.metric !== "verdict" && wanted.strength === "all") {
      if ("strength" in changes) wanted.metric = "verdict";
      else Object.assign(wanted, { strength: data.usual, moved: true });
    }
    // Nobody chose that strength: back at the verdict it is what it was.
    if (wanted.moved && wanted.metric === "verdict") wanted.strength = "all";
    if (wanted.metric === "verdict" || "strength" in changes) delete wanted.moved;
    delete wanted.problem;
    history.pushState(null, "", address(wanted));
    apply(wanted);
  };

  const views = (lineup = state.strength, players = state.players) => {
    const lineups = lineup === "all" ? data.lineups.map(([one]) => one) : [lineup];
    return lineups.map((one) => viewOf.get(`${players} ${one}`)).filter((index) => index !== undefined);
  };
  const verdict = (k, players = state.players, lineup = state.strength) => {
    if (lineup === "all") return data.overall[players]?.[k] ?? ".";
    const index = viewOf.get(`${players} ${lineup}`);
    return index === undefined ? "." : data.views[index].verdicts[k];
  };
  const valueAt = (k) => {
    const [index] = views();
    return state.metric === "verdict" || index === undefined ? null : estimate(data.views[index].values, state.metric, k);
  };
  const strengthName = (lineup) => (lineup === "all" ? "all strengths of play" : data.lineups.find(([one]) => one === lineup)[1]);
  const metricTitle = () => (state.metric === "verdict" ? "Verdict" : metricOf.get(state.metric).title);

  // --- order and search

  const others = (i) => (data.pairs ? [...Array(size).keys()].filter((j) => j !== i) : [i]);
  const scores = () => data.variants.map((_, i) => {
    const codes = others(i).map((j) => verdict(place(i, j)));
    const broken = codes.filter((code) => code === "b").length + codes.filter((code) => code === "u").length / 1000;
    const values = others(i).map((j) => valueAt(place(i, j))?.value).filter((x) => x !== undefined);
    return { broken, value: values.length ? values.reduce((a, b) => a + b, 0) / values.length : null };
  });
  const byName = (i, j) => name(i).localeCompare(name(j), "en");
  const ordered = () => {
    const all = [...Array(size).keys()];
    const score = scores();
    const key = state.sort === "value" && state.metric !== "verdict" ? "value" : "broken";
    if (state.sort === "name") return all.sort(byName);
    return all.sort((i, j) => (score[j][key] ?? -Infinity) - (score[i][key] ?? -Infinity) || byName(i, j));
  };
  const terms = () => query.toLowerCase().split("+").map((term) => term.trim()).filter(Boolean);
  const matches = (index, term) => name(index).toLowerCase().includes(term) || data.variants[index].id.toLowerCase().includes(term);
  const wantedPair = (i, j) => {
    const [one, two] = terms();
    if (one === undefined) return true;
    if (two === undefined) return matches(i, one) || matches(j, one);
    return (matches(i, one) && matches(j, two)) || (matches(i, two) && matches(j, one));
  };
  const shown = (i, j) => {
    const code = verdict(place(i, j));
    return (data.pairs || i === j) && wantedPair(i, j) && (state.show === "any" || code === state.show);
  };

  // --- colours

  const probe = make("span", { hidden: true });
  document.body.append(probe);
  let dark = page.dark();
  const colour = (variable) => {
    probe.style.colorScheme = dark ? "dark" : "light";
    probe.style.color = `var(${variable})`;
    return getComputedStyle(probe).color;
  };
  const ramps = () => (dark
    ? { both: ["#a8d3f5", "#3f8fcb", "#2b3f56", "#2b323d", "#4d3c30", "#d9641a", "#ffc692"], one: ["#222a35", "#2f5f8a", "#a8d3f5"] }
    : { both: ["#08457e", "#3f8fcb", "#cfe3f3", "#f3f4f6", "#fbe0c8", "#e0701b", "#8f3600"], one: ["#eef3f8", "#7fb2d9", "#08457e"] });
  const FILLS = { b: "--broken-fill", u: "--undecided-fill", e: "--bent-fill", f: "--fine-fill" };

  // What breaks pairs, the most frequent first: each cause has a colour and a sign of its own, the rest share one.
  const CAUSE_FILLS = [null, "#a8327d", "#6b3a00", "#c2185b", "#5b6270"];
  const firstCause = (k, players, lineup) => views(lineup, players).map((index) => data.views[index].causes[k]).find(Boolean) ?? "";
  const causes = (() => {
    const counts = new Map();
    for (const players of data.players) for (let k = 0; k < data.overall[players].length; k++) {
      if (data.overall[players][k] !== "b") continue;
      const cause = firstCause(k, players, "all");
      counts.set(cause, (counts.get(cause) ?? 0) + 1);
    }
    const found = [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0], "en")).map(([cause]) => cause);
    const few = found.length > CAUSE_FILLS.length ? [...found.slice(0, CAUSE_FILLS.length - 1), "another reason"] : found.length ? found : [""];
    return few.map((cause, number) => ({ cause, fill: CAUSE_FILLS[number], sign: few.length > 1 ? String(number + 1) : SIGNS.b }));
  })();
  const causeOf = (k) => {
    const cause = firstCause(k, state.players, state.strength);
    const number = causes.findIndex((one) => one.cause === cause);
    return number === -1 ? causes.length - 1 : number;
  };

  // Where a value lies between -1 and 1: within a third of the way if accepted, beyond that if not. One scale for all
  // player counts and strengths, so that what looks alike is alike; the far one per cent share the last colour.
  const scales = new Map();
  const scaleOf = (metric) => {
    if (!scales.has(metric.id)) {
      const all = data.views.flatMap((view) => view.values[metric.id]?.values ?? []).filter((x) => x !== null).map((x) => x / data.scale).sort((a, b) => a - b);
      const plain = data.plain.map((one) => one[metric.id]?.[0]).filter((x) => x !== undefined && x !== null).sort((a, b) => a - b);
      const range = metric.low !== null || metric.high !== null || metric.neutral !== null;
      let centre = metric.neutral;
      if (centre === null && metric.low !== null && metric.high !== null) centre = (metric.low + metric.high) / 2;
      if (centre === null) centre = plain[Math.floor(plain.length / 2)] ?? all[Math.floor(all.length / 2)] ?? 0;
      if (metric.high !== null) centre = Math.min(centre, metric.high);
      if (metric.low !== null) centre = Math.max(centre, metric.low);
      const min = all[Math.floor(all.length * 0.01)] ?? 0;
      const max = all[Math.max(0, Math.ceil(all.length * 0.99) - 1)] ?? 1;
      scales.set(metric.id, { range, centre, min, max });
    }
    return scales.get(metric.id);
  };
  const position = (metric, x) => {
    const { range, centre, min, max } = scaleOf(metric);
    const part = (from, to) => (from === to ? 0 : Math.min(1, Math.max(0, (x - from) / (to - from))));
    if (!range) return part(min, max) * 2 - 1;
    const up = x >= centre;
    const bound = up ? metric.high : metric.low;
    const far = up ? Math.max(max, centre) : Math.min(min, centre);
    const side = up ? 1 : -1;
    if (bound === null) return side * part(centre, far) / 3;
    if (up ? x <= bound : x >= bound) return (side * part(centre, bound)) / 3;
    return side * (0.5 + 0.5 * part(bound, up ? Math.max(far, bound) : Math.min(far, bound)));
  };
  const hex = (text) => [1, 3, 5].map((start) => parseInt(text.slice(start, start + 2), 16));
  const inkOn = (t, ramp) => {
    const where = ((t + 1) / 2) * (ramp.length - 1);
    const from = hex(ramp[Math.floor(where)]);
    const to = hex(ramp[Math.ceil(where)]);
    const [r, g, b] = from.map((x, k) => x + (to[k] - x) * (where % 1));
    return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#10151d" : "#ffffff";
  };

  // --- the matrix

  const box = byId("atlas-chart");
  const scroll = byId("atlas-scroll");
  let chart = null;
  let grid = { rows: [], columns: [] };
  let cursor = null;

  const described = (pair) => {
    const k = place(...pair);
    const found = valueAt(k);
    const parts = [title(pair), data.codes[verdict(k)]];
    if (found) {
      const metric = metricOf.get(state.metric);
      const interval = ends(metric.kind, found);
      parts.push(`${metric.title} ${written(metric.kind, found.value)}${interval ? ` (95%: ${interval})` : ""}`);
    }
    return parts.join(", ");
  };
  const tooltip = (pair) => {
    const k = place(...pair);
    const code = verdict(k);
    const found = valueAt(k);
    const lines = [make("div", { class: "tooltip-title" }, title(pair)), make("div", {}, verdictTag(code), ` · ${counted(state.players, "player")}, ${strengthName(state.strength)}`)];
    if (found) {
      const metric = metricOf.get(state.metric);
      const interval = ends(metric.kind, found);
      lines.push(make("div", {}, `${metric.title}: `, make("strong", {}, written(metric.kind, found.value)), interval ? ` (95%: ${interval})` : ""));
      lines.push(make("div", { class: "small quiet" }, capital(accepted(metric))));
    } else if (state.metric === "verdict") {
      const reason = views().flatMap((index) => data.views[index].reasons[k])[0];
      if (reason) lines.push(make("div", { style: "max-width:24rem;white-space:normal" }, reason));
    }
    const games = views().reduce((sum, index) => sum + (data.views[index].games[k]), 0);
    lines.push(make("div", { class: "small quiet" }, counted(games, "game")));
    return make("div", {}, lines);
  };
  const verdictTag = (code, text = data.codes[code]) => make("span", { class: `verdict ${{ b: "broken", f: "fine", e: "bent", u: "undecided" }[code] ?? "none"}` }, text);

  const items = () => {
    const { both, one } = ramps();
    const metric = metricOf.get(state.metric);
    const ramp = metric && (scaleOf(metric).range ? both : one);
    const line = colour("--paper");
    const ink = colour("--ink");
    const quiet = colour("--undecided");
    const all = [];
    grid.rows.forEach((i, row) => grid.columns.forEach((j, column) => {
      if (!drawn(row, column)) {
        all.push({ value: [column, row, "-"], itemStyle: { opacity: 0 }, label: { show: false }, tooltip: { show: false } });
        return;
      }
      const k = place(i, j);
      const code = verdict(k);
      const found = valueAt(k);
      let level = null;
      if (code !== "." && shown(i, j)) level = metric ? (found ? position(metric, found.value) : null) : code === "b" ? -causeOf(k) : RANK[code];
      const sign = metric ? (level === null ? ink : inkOn(level, ramp)) : code === "b" ? "#ffffff" : quiet;
      const text = code === "b" ? (metric ? SIGNS.b : causes[causeOf(k)].sign) : code === "u" && !metric ? SIGNS.u : "";
      all.push({
        value: [column, row, level === null ? "-" : level],
        name: `${i} ${j}`, // by which it is chosen; without it all of a column would be
        pair: [i, j],
        label: { formatter: level === null ? "" : text, color: sign },
        // One alone is round.
        itemStyle: { borderColor: line, borderWidth: 1, borderRadius: i === j ? 12 : 0 },
      });
    }));
    return all;
  };

  const draw = () => {
    if (byId("atlas-matrix").hidden) return;
    const order = ordered();
    const wanted = terms();
    const some = (i) => wanted.some((term) => matches(i, term));
    grid = {
      rows: wanted.length ? order.filter(some) : order,
      columns: wanted.length > 1 ? order.filter(some) : order,
    };
    byId("atlas-none").hidden = grid.rows.length > 0;
    scroll.hidden = grid.rows.length === 0;
    if (!grid.rows.length || !scroll.clientWidth) return;
    const longest = Math.max(...data.variants.map((one) => one.name.length));
    const cellsWide = (labels) => Math.floor((scroll.clientWidth - labels - 26) / grid.columns.length);
    const font = cellsWide(longest * 6) < 17 ? 10 : 11;
    const labels = Math.min(170, Math.ceil(longest * font * 0.56) + 14);
    const cell = Math.max(15, Math.min(32, cellsWide(labels)));
    box.style.width = `${labels + grid.columns.length * cell + 10}px`;
    box.style.height = `${labels + grid.rows.length * cell + 6}px`;
    chart ??= started();
    chart.resize();
    const { both, one } = ramps();
    const metric = metricOf.get(state.metric);
    const pieces = [
      ...causes.map(({ fill }, number) => ({ value: -number, color: fill ?? colour(FILLS.b) })),
      ...["u", "e", "f"].map((code) => ({ value: RANK[code], color: colour(FILLS[code]) })),
    ];
    const visual = metric
      ? { type: "continuous", min: -1, max: 1, inRange: { color: scaleOf(metric).range ? both : one } }
      : { type: "piecewise", pieces };
    const axis = (indices) => ({
      type: "category",
      data: indices.map(name),
      axisLine: { show: false },
      axisTick: { show: false },
      axisLabel: { interval: 0, color: colour("--ink"), fontSize: font, width: labels - 12, overflow: "truncate" },
    });
    const down = axis(grid.rows);
    const across = axis(grid.columns);
    across.axisLabel.rotate = 90;
    chart.setOption({
      animation: false,
      textStyle: { fontFamily: getComputedStyle(document.body).fontFamily },
      grid: { left: labels, top: 4, width: grid.columns.length * cell, height: grid.rows.length * cell, containLabel: false },
      xAxis: { ...across, position: "bottom" },
      yAxis: { ...down, inverse: true },
      visualMap: { show: false, dimension: 2, seriesIndex: 0, ...visual },
      tooltip: {
        trigger: "item",
        appendTo: document.body,
        confine: true,
        backgroundColor: colour("--paper"),
        borderColor: colour("--line"),
        textStyle: { color: colour("--ink"), fontSize: 13 },
        formatter: (point) => (point.data.pair ? tooltip(point.data.pair) : ""),
      },
      series: [{
        type: "heatmap",
        data: items(),
        label: { show: true, fontSize: Math.min(13, cell - 5), fontWeight: "bold" },
        emphasis: { itemStyle: { borderColor: colour("--ink"), borderWidth: 2.5 } },
        selectedMode: "multiple",
        select: { itemStyle: { borderColor: colour("--ink"), borderWidth: 3 } },
      }],
    }, true);
    choose();
    chart.getZr().flush(); // at once: paper does not wait for the next frame
    box.setAttribute("aria-label", `${metricTitle()} of all pairs, ${counted(state.players, "player")}, ${strengthName(state.strength)}: ${grid.rows.length} rows, ${grid.columns.length} columns`);
  };

  // Every pair is drawn once: below the diagonal, unless only that row is searched for.
  const drawn = (row, column) => {
    const [above, beside] = [grid.rows.indexOf(grid.columns[column]), grid.columns.indexOf(grid.rows[row])];
    return above === -1 || beside === -1 || above <= row;
  };

  const choose = () => {
    if (!state.pair) return;
    const [i, j] = state.pair;
    const both = [[i, j], [j, i]].map(([a, b]) => [grid.rows.indexOf(a), grid.columns.indexOf(b)]).filter((found) => !found.includes(-1) && drawn(...found));
    chart.dispatchAction({ type: "select", seriesIndex: 0, dataIndex: both.map(([row, column]) => row * grid.columns.length + column) }, { flush: true });
  };
  const started = () => {
    const made = echarts.init(box, null, { renderer: "svg" }); // one that prints well
    made.on("click", (point) => { if (point.data?.pair) open(point.data.pair, box); });
    return made;
  };

  const point = () => {
    if (!cursor || !chart) return;
    const row = Math.max(0, grid.rows.indexOf(cursor[0]));
    let column = Math.max(0, grid.columns.indexOf(cursor[1]));
    if (!drawn(row, column)) column = 0;
    cursor = [grid.rows[row], grid.columns[column]];
    const index = row * grid.columns.length + column;
    chart.dispatchAction({ type: "downplay", seriesIndex: 0 });
    chart.dispatchAction({ type: "highlight", seriesIndex: 0, dataIndex: index });
    chart.dispatchAction({ type: "showTip", seriesIndex: 0, dataIndex: index });
    const [x] = chart.convertToPixel({ seriesIndex: 0 }, [column, row]);
    if (x < scroll.scrollLeft + 40 || x > scroll.scrollLeft + scroll.clientWidth - 40) scroll.scrollLeft = x - scroll.clientWidth / 2;
    say(described(cursor));
  };
  const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  box.addEventListener("keydown", (event) => {
    if (!grid.rows.length || event.ctrlKey || event.altKey || event.metaKey) return;
    cursor ??= [grid.rows[0], grid.columns[0]];
    let row = Math.max(0, grid.rows.indexOf(cursor[0]));
    let column = Math.max(0, grid.columns.indexOf(cursor[1]));
    if (event.key in STEPS) {
      const [down, right] = STEPS[event.key];
      const [nextRow, nextColumn] = [row + down, column + right];
      if (nextRow in grid.rows && nextColumn in grid.columns && drawn(nextRow, nextColumn)) [row, column] = [nextRow, nextColumn];
    } else if (event.key === "Home") column = 0;
    else if (event.key === "End") column = grid.columns.findLastIndex((_, at) => drawn(row, at));
    else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      open(cursor, box);
      return;
    } else return;
    event.preventDefault();
    cursor = [grid.rows[row], grid.columns[column]];
    point();
  });
  box.addEventListener("focus", () => {
    if (!box.matches(":focus-visible")) return;
    cursor ??= [grid.rows[0], grid.columns[0]];
    point();
  });
  box.addEventListener("blur", () => {
    chart?.dispatchAction({ type: "downplay", seriesIndex: 0 });
    chart?.dispatchAction({ type: "hideTip" });
  });

  // --- the legend

  const legend = () => {
    const swatch = (code) => make("span", { class: "swatch", style: `background:var(${FILLS[code]});color:var(--undecided)`, "aria-hidden": true }, SIGNS[code] === "?" ? "?" : "");
    const parts = [];
    const metric = metricOf.get(state.metric);
    if (metric) {
      const { both, one } = ramps();
      const { range, centre, min, max } = scaleOf(metric);
      parts.push(make("span", { class: "key" },
        written(metric.kind, range ? Math.min(min, centre) : min),
        make("span", { class: "ramp", "aria-hidden": true, style: `background:linear-gradient(to right, ${(range ? both : one).join(",")})` }),
        written(metric.kind, range ? Math.max(max, centre) : max)));
      if (metric.low !== null || metric.high !== null) parts.push(make("span", {}, `${capital(accepted(metric))}. Pale squares lie within, strong ones outside.`));
      parts.push(make("span", { class: "key" }, make("b", {}, "×"), " broken"));
    } else {
      const codes = data.variants.flatMap((_, i) => others(i).filter((j) => i <= j).map((j) => verdict(place(i, j))));
      const places = data.variants.flatMap((_, i) => others(i).filter((j) => i <= j).map((j) => place(i, j)));
      causes.forEach(({ cause, fill, sign }, number) => {
        const count = places.filter((k) => verdict(k) === "b" && causeOf(k) === number).length;
        const mark = make("span", { class: "swatch", style: `background:${fill ?? `var(${FILLS.b})`};color:#fff`, "aria-hidden": true }, sign);
        parts.push(make("span", { class: "key" }, mark, `${data.codes.b}${cause ? `: ${lower(cause)}` : ""} (${count})`));
      });
      for (const code of ["u", "e", "f"]) {
        parts.push(make("span", { class: "key" }, swatch(code), `${data.codes[code]} (${codes.filter((one) => one === code).length})`));
      }
    }
    byId("atlas-legend").replaceChildren(...parts);
    byId("atlas-about").textContent = metric ? metric.help : "Over all strengths of play that decide: the default player where it was played; weaker play decides nothing.";
    byId("atlas-about").hidden = !byId("atlas-about").textContent;
  };

  // --- the list: the same in words

  const list = () => {
    const metric = metricOf.get(state.metric);
    const rows = [];
    for (let i = 0; i < size; i++) for (let j = data.pairs ? i + 1 : i; j < (data.pairs ? size : i + 1); j++) {
      if (shown(i, j) && verdict(place(i, j)) !== ".") rows.push([i, j]);
    }
    const brokenAt = (k) => data.players.filter((players) => verdict(k, players) === "b");
    const reasonOf = (k) => {
      const indices = views().filter((index) => data.views[index].reasons[k].length);
      const worst = indices.find((index) => data.views[index].verdicts[k] === verdict(k)) ?? indices[0];
      return worst === undefined ? "–" : data.views[worst].reasons[k][0];
    };
    const label = (pair) => (data.pairs ? title(pair) : name(pair[0]));
    const compare = {
      name: () => 0,
      broken: (a, b) => RANK[verdict(a.k)] - RANK[verdict(b.k)] || brokenAt(b.k).length - brokenAt(a.k).length,
      value: (a, b) => (valueAt(b.k)?.value ?? -Infinity) - (valueAt(a.k)?.value ?? -Infinity),
    }[state.sort === "value" && !metric ? "broken" : state.sort];
    const sorted = rows.map((pair) => ({ pair, k: place(...pair) })).sort((a, b) => compare(a, b) || byName(a.pair[0], b.pair[0]) || byName(a.pair[1], b.pair[1]));
    const head = [capital(word(data.pairs ? "variants" : "variant")), "Verdict", ...(metric ? [metric.title, "95% interval"] : ["Broken at", "Why"]), "Games"];
    const body = sorted.map(({ pair, k }) => {
      const button = make("button", { type: "button", onclick: () => open(pair, button) }, label(pair));
      const found = valueAt(k);
      const games = views().reduce((sum, index) => sum + (data.views[index].games[k]), 0);
      const middle = metric
        ? [make("td", { class: "num" }, found ? written(metric.kind, found.value) : "–"), make("td", { class: "num" }, found ? ends(metric.kind, found) : "–")]
        : [make("td", {}, brokenAt(k).length ? `${brokenAt(k).join(", ")} players` : "–"), make("td", { class: "why" }, reasonOf(k))];
      return make("tr", {}, make("td", {}, button), make("td", {}, verdictTag(verdict(k))), middle, make("td", { class: "num" }, games.toLocaleString("en-US")));
    });
    const caption = `${metricTitle()}, ${counted(state.players, "player")}, ${strengthName(state.strength)}: ${counted(rows.length, "combination")}`;
    const table = make("table", {},
      make("caption", { class: "unseen" }, caption),
      make("thead", {}, make("tr", {}, head.map((text, index) => make("th", { scope: "col", class: index > 1 && (metric || index === head.length - 1) ? "num" : null }, text)))),
      make("tbody", {}, body));
    byId("atlas-list").replaceChildren(
      make("p", { class: "small quiet" }, caption),
      make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, table));
  };

  // --- the panel of a pair

  const panel = byId("panel");
  let origin = null;
  let charts = [];
  let focusNext = false;

  const open = (pair, from) => {
    chart?.dispatchAction({ type: "hideTip" });
    origin = from;
    focusNext = true;
    go({ pair: [...pair].sort((i, j) => i - j) });
  };
  const close = () => {
    go({ pair: null });
    (origin?.isConnected ? origin : box).focus({ preventScroll: true });
    origin = null;
  };

  const BLUE = () => (dark ? "#63a9e0" : "#0072b2");
  const binName = ([from, to]) => (from === to ? String(from) : `${from}–${to}`);
  const shares = (counts) => {
    const sum = counts.reduce((a, b) => a + b, 0);
    return counts.map((count) => (sum ? Math.round((10000 * count) / sum) / 100 : 0));
  };
  const base = () => ({
    animation: false,
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily, color: colour("--ink") },
    aria: { enabled: true },
  });
  const axisLook = () => ({
    axisLabel: { color: colour("--muted"), fontSize: 11 },
    axisLine: { lineStyle: { color: colour("--muted") } },
    splitLine: { lineStyle: { color: colour("--line") } },
    nameTextStyle: { color: colour("--muted"), fontSize: 11 },
  });

  // Axes and series of both charts, at given places, for the panel and for the picture of it.
  const lengthParts = (k, index, where = 0) => {
    const [both, plain] = [data.views[index].lengths[k], data.plain_lengths[index] ?? []];
    if (!both.length) return null;
    const known = data.length_bins.map((_, bin) => both[bin] > 0 || plain[bin] > 0);
    const start = Math.max(0, known.indexOf(true));
    // A few very long games must not squeeze all others: the last bar holds the final hundredth.
    const nearly = (one) => {
      const most = one.reduce((a, b) => a + b, 0) * 0.99;
      let passed = 0;
      return one.findIndex((count) => (passed += count) >= most);
    };
    const end = Math.max(nearly(both), plain.length ? nearly(plain) : 0) + 1;
    const last = known.lastIndexOf(true) + 1;
    const cut = (one) => {
      const [kept, rest] = [shares(one).slice(start, end), shares(one).slice(end, last)];
      return end < last ? [...kept, Math.round(100 * rest.reduce((a, b) => a + b, 0)) / 100] : kept;
    };
    const names = data.length_bins.slice(start, end).map(binName);
    if (end < last) names.push(`${data.length_bins[end][0]} or more`);
    const series = [{
      type: "bar", name: "with", xAxisIndex: where, yAxisIndex: where, barCategoryGap: "12%", itemStyle: { color: BLUE() }, data: cut(both),
    }];
    if (plain.length) series.push({
      type: "line", name: `without ${word("variants")}`, xAxisIndex: where, yAxisIndex: where, step: "middle", symbol: "none",
      lineStyle: { color: colour("--ink"), width: 1.5, type: "dashed" }, itemStyle: { color: colour("--ink") }, data: cut(plain),
    });
    return {
      xAxis: { type: "category", gridIndex: where, data: names, name: "rounds", nameLocation: "middle", nameGap: 24, ...axisLook(), splitLine: { show: false } },
      yAxis: { type: "value", gridIndex: where, ...axisLook(), axisLabel: { ...axisLook().axisLabel, formatter: "{value}%" } },
      series,
    };
  };
  // The table at which most strategies meet shows how they fare.
  const styleParts = (k, where = 0) => {
    const met = (index) => data.policies.filter((policy) => estimate(data.views[index].styles, policy, k)).length;
    const [index] = views("all").filter(met).sort((a, b) => met(b) - met(a));
    if (index === undefined) return null;
    const rows = data.policies.map((policy) => [policy, estimate(data.views[index].styles, policy, k)]).filter(([, found]) => found);
    rows.sort((a, b) => a[1].value - b[1].value);
    const whisker = (params, api) => {
      const y = api.coord([api.value(0), api.value(2)])[1];
      const [left, right] = [api.coord([api.value(0), 0])[0], api.coord([api.value(1), 0])[0]];
      return { type: "line", shape: { x1: left, y1: y, x2: right, y2: y }, style: { stroke: BLUE(), lineWidth: 2 } };
    };
    return {
      strength: data.views[index].strength,
      xAxis: { type: "value", gridIndex: where, min: 0, name: "win points (1 is fair)", nameLocation: "middle", nameGap: 24, ...axisLook() },
      yAxis: { type: "category", gridIndex: where, data: rows.map(([policy]) => policy), ...axisLook(), axisLabel: { ...axisLook().axisLabel, color: colour("--ink") }, axisTick: { show: false } },
      series: [
        { type: "custom", name: "95% interval", xAxisIndex: where, yAxisIndex: where, renderItem: whisker, encode: { x: [0, 1], y: 2 }, data: rows.map(([, found], row) => [found.low ?? found.value, found.high ?? found.value, row]), silent: true },
        {
          type: "scatter", name: "win points", xAxisIndex: where, yAxisIndex: where, symbolSize: 9, itemStyle: { color: BLUE() }, data: rows.map(([, found], row) => [found.value, row]),
          markLine: { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: colour("--ink"), type: "dashed" }, data: [{ xAxis: 1 }] },
        },
      ],
      rows,
    };
  };
  const STYLE_HEIGHT = (parts) => 60 + 22 * parts.rows.length;

  // What is compared as logarithms is told as a factor, shares as a difference in points of a hundred.
  const beyond = (kind, x) => (kind === "log" ? fixed(Math.exp(x), 2) : `${x < 0 ? "−" : "+"}${fixed(Math.abs(100 * x), 1)}`);
  const interactionRows = (k, index) => data.interactions.map(([measure, label, kind]) => {
    const view = data.views[index];
    const found = estimate(view.interactions, measure, k);
    if (!found) return null;
    const interval = found.low === null || found.high === null ? "" : `${beyond(kind, found.low)} to ${beyond(kind, found.high)}`;
    return { label, value: `${beyond(kind, found.value)} ${kind === "log" ? "times" : "points"}`, interval, sure: view.sure[measure]?.[k] };
  }).filter(Boolean);

  const verdictGrid = (k) => {
    const columns = [...data.lineups, ...(data.lineups.length > 1 ? [["all", "all together"]] : [])];
    const entry = (players, lineup) => {
      const current = players === state.players && lineup === state.strength;
      const target = address({ ...state, players, strength: lineup, metric: lineup === "all" ? "verdict" : state.metric });
      return make("td", { "aria-current": current ? "true" : null }, make("a", { href: target }, verdictTag(verdict(k, players, lineup))));
    };
    return make("div", { class: "scroll" }, make("table", {},
      make("caption", { class: "unseen" }, "Verdicts by number of players and strength of play"),
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Players"), columns.map(([, strength]) => make("th", { scope: "col" }, strength)))),
      make("tbody", {}, data.players.map((players) => make("tr", {}, make("th", { scope: "row" }, String(players)), columns.map(([lineup]) => entry(players, lineup)))))));
  };

  const reasonsOf = (k, indices) => indices.map((index) => {
    const view = data.views[index];
    const reasons = view.reasons[k];
    return [
      make("p", {}, verdictTag(view.verdicts[k]), ` for ${view.strength}`, ` (${counted(view.games[k], "game")}${view.judged ? `; judged there: ${view.judged}` : ""})`),
      reasons.length ? make("ul", {}, reasons.map((reason) => make("li", {}, reason))) : null,
    ];
  });

  const metricTable = (k, index) => {
    const rows = data.metrics.map((metric) => [metric, estimate(data.views[index].values, metric.id, k)]).filter(([, found]) => found);
    const entry = (metric, found) => {
      const out = (metric.high !== null && found.value > metric.high) || (metric.low !== null && found.value < metric.low);
      const interval = ends(metric.kind, found);
      return make("td", { class: "num" }, make("span", { class: out ? "outside" : null }, `${written(metric.kind, found.value)}${out ? " !" : ""}`),
        interval ? [make("br"), make("span", { class: "small quiet" }, interval)] : null);
    };
    return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "All numbers" }, make("table", { class: "metrics" },
      make("caption", { class: "unseen" }, "Metrics with 95% intervals"),
      make("thead", {}, make("tr", {}, ["Metric", "with", "without"].map((text, column) => make("th", { scope: "col", class: column ? "num" : null }, text)))),
      make("tbody", {}, rows.map(([metric, found]) => make("tr", {},
        make("th", { scope: "row" }, metric.title, make("br"), make("span", { class: "small quiet" }, accepted(metric))),
        entry(metric, found),
        make("td", { class: "num" }, written(metric.kind, data.plain[index]?.[metric.id]?.[0])))))));
  };
  // The games that a panel shows: those of the strength of play that was chosen, else of the one that decides.
  const chosen = (k) => [...(state.strength === "all" ? views(data.usual) : []), ...views()].find((index) => data.views[index].verdicts[k] !== ".");

  const drawPanel = () => {
    for (const one of charts) one.dispose();
    charts = [];
    const { pair } = state;
    panel.hidden = !pair;
    document.body.classList.toggle("reading", Boolean(pair));
    if (!pair) { panel.replaceChildren(); return; }
    const k = place(...pair);
    const indices = views();
    const heading = make("h2", { id: "panel-title", tabindex: -1 }, title(pair));
    const content = [
      make("div", { class: "head" }, heading, make("button", { type: "button", id: "panel-close", "aria-label": "Close", onclick: close }, "×")),
      make("p", { class: "quiet" }, `${counted(state.players, "player")}, ${strengthName(state.strength)}`),
      make("dl", { class: "pairs small" }, [...new Set(pair)].map((index) => [make("dt", {}, name(index)), make("dd", {}, data.variants[index].rule)])),
      make("h3", {}, "Verdict"),
      verdictGrid(k),
      reasonsOf(k, indices),
    ];
    const waiting = [];
    const chartFor = (parts, height, label) => {
      const element = make("div", { class: "chart", style: `height:${height}px`, role: "img", "aria-label": label });
      waiting.push([element, parts]);
      return element;
    };
    const index = chosen(k);
    if (index !== undefined) {
      const view = data.views[index];
      if (indices.length > 1) content.push(make("p", { class: "quiet" }, `Below: ${view.strength}.`));
      const lengths = lengthParts(k, index);
      if (lengths) {
        const told = ({ name: series, data: shown }) => `${series}: ${shown.map((share, bin) => `${lengths.xAxis.data[bin]} rounds ${share}%`).filter((_, bin) => shown[bin]).join(", ")}`;
        content.push(make("h3", {}, "Length of games"), chartFor(lengths, 230, `Share of games by length. ${lengths.series.map(told).join(". ")}`));
      }
      const styles = styleParts(k);
      if (styles) {
        const words = styles.rows.map(([policy, found]) => `${policy} ${fixed(found.value, 2)}`).join(", ");
        content.push(make("h3", {}, "Which strategies win"), make("p", { class: "small quiet" }, `Win points at mixed tables (${styles.strength}), with 95% intervals; 1 is fair.`), chartFor(styles, STYLE_HEIGHT(styles), `Win points by strategy: ${words}`));
      }
      const together = pair[0] === pair[1] ? [] : interactionRows(k, index);
      if (together.length) {
        content.push(make("h3", {}, "What only the two together do"), make("div", { class: "scroll" }, make("table", {},
          make("thead", {}, make("tr", {}, ["Beyond both alone", "Effect", "95% interval", "Sure"].map((text, column) => make("th", { scope: "col", class: column === 1 || column === 2 ? "num" : null }, text)))),
          make("tbody", {}, together.map((row) => make("tr", {}, make("th", { scope: "row" }, row.label), make("td", { class: "num" }, row.value), make("td", { class: "num" }, row.interval), make("td", {}, row.sure === "1" ? "yes" : row.sure === "0" ? "no" : "–")))))));
      }
      content.push(make("h3", {}, "All numbers"), metricTable(k, index));
      if (view.replays[k]) content.push(make("h3", {}, "A game worth looking at"), page.code(view.replays[k], "command"));
      content.push(make("h3", {}, "The query behind it"), page.code(data.query.replaceAll("{}", () => view.cells[k]), "command"));
    }
    const share = make("button", { type: "button", onclick: () => page.copy(location.href, share) }, "Copy the link");
    content.push(make("div", { class: "actions" }, make("button", { type: "button", id: "panel-png", onclick: () => picture(pair) }, "Download as PNG"), share));
    panel.replaceChildren(...content.flat(4).filter(Boolean));
    panel.scrollTop = 0;
    for (const [element, parts] of waiting) {
      const made = echarts.init(element, null, { renderer: "svg" });
      const { xAxis, yAxis, series } = parts;
      made.setOption({
        ...base(), xAxis, yAxis, series, aria: { enabled: false },
        grid: { left: 8, right: 14, top: parts.rows ? 8 : 34, bottom: 26, containLabel: true },
        legend: parts.rows ? undefined : { top: 0, left: 0, itemWidth: 16, itemHeight: 9, textStyle: { color: colour("--ink"), fontSize: 11 } },
        tooltip: { trigger: parts.rows ? "item" : "axis", confine: true, backgroundColor: colour("--paper"), borderColor: colour("--line"), textStyle: { color: colour("--ink"), fontSize: 12 }, renderMode: "richText", valueFormatter: (x) => (parts.rows ? String(x) : `${x}%`) },
      });
      charts.push(made);
    }
    if (focusNext) heading.focus({ preventScroll: true });
    focusNext = false;
    say(`${title(pair)}: ${data.codes[verdict(k)]}. Its panel is open; Escape closes it.`);
  };

  // The panel as a picture: the same words and charts, set by the charting library on one sheet.
  const picture = (pair) => {
    const k = place(...pair);
    const indices = views();
    const width = 900;
    const element = make("div", { style: `width:${width}px;height:100px;position:absolute;left:-9999px` });
    document.body.append(element);
    const titles = [];
    const [grids, xs, ys, series] = [[], [], [], []];
    let top = 24;
    const write = (text, fontSize, { weight = "normal", color = colour("--ink"), gap = 8 } = {}) => {
      const lines = Math.max(1, Math.ceil((text.length * fontSize * 0.52) / (width - 60)));
      titles.push({ text, left: 30, top, padding: 0, textStyle: { fontSize, fontWeight: weight, color, width: width - 60, overflow: "break", lineHeight: fontSize * 1.4 } });
      top += lines * fontSize * 1.4 + gap;
    };
    const chartPart = (parts, height) => {
      const where = grids.length;
      grids.push({ left: 40, right: 40, top: top + 6, height: height - 60, containLabel: true });
      xs.push({ ...parts.xAxis, gridIndex: where });
      ys.push({ ...parts.yAxis, gridIndex: where });
      series.push(...parts.series);
      top += height;
    };
    write(title(pair), 26, { weight: "bold", gap: 2 });
    write(`${data.game} · ${counted(state.players, "player")}, ${strengthName(state.strength)}`, 14, { color: colour("--muted"), gap: 14 });
    for (const index of indices) {
      const view = data.views[index];
      write(`${SIGNS[view.verdicts[k]]} ${data.codes[view.verdicts[k]]} for ${view.strength} (${counted(view.games[k], "game")})`, 16, { weight: "bold", gap: 4 });
      for (const reason of view.reasons[k]) write(`• ${reason}`, 14, { gap: 3 });
      top += 8;
    }
    const index = chosen(k);
    const lengths = index === undefined ? null : lengthParts(k, index);
    let legendTop = null;
    if (lengths) {
      write(`Length of games (share of games by rounds; ${data.views[index].strength})`, 15, { weight: "bold", gap: 2 });
      legendTop = top;
      top += 24;
      chartPart(lengths, 280);
    }
    const styles = styleParts(k, grids.length);
    if (styles) {
      write(`Which strategies win (${styles.strength})`, 15, { weight: "bold", gap: 2 });
      chartPart(styles, STYLE_HEIGHT(styles) + 40);
    }
    const together = pair[0] === pair[1] || index === undefined ? [] : interactionRows(k, index);
    if (together.length) {
      write("What only the two together do", 15, { weight: "bold", gap: 4 });
      for (const row of together) write(`${row.label}: ${row.value}${row.interval ? ` (95%: ${row.interval})` : ""}`, 13, { gap: 2 });
    }
    top += 10;
    write(data.title, 12, { color: colour("--muted") });
    const height = Math.ceil(top + 12);
    const sheet = echarts.init(element, null, { renderer: "canvas", width, height, devicePixelRatio: 2 });
    sheet.setOption({
      ...base(), backgroundColor: colour("--paper"), title: titles, grid: grids, xAxis: xs, yAxis: ys, series,
      legend: legendTop === null ? undefined : { top: legendTop, left: 30, data: lengths.series.map((one) => one.name), textStyle: { color: colour("--ink") } },
    });
    const ids = [...new Set(pair)].map((index) => data.variants[index].id).join("+");
    page.download(`${ids.replace(/[^\w+-]+/g, "_")}-${state.players}p.png`, sheet.getDataURL({ type: "png", pixelRatio: 2, backgroundColor: colour("--paper") }));
    sheet.dispose();
    element.remove();
  };

  // --- the atlas as CSV

  const csv = () => {
    const quoted = (text) => {
      // A spreadsheet takes what begins like a formula for one; a quote in front keeps it text.
      const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
      return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
    };
    const variant = word("variant");
    const head = ["players", "lineup", "strength", `${variant}_1`, `${variant}_2`, `${variant}_1_name`, `${variant}_2_name`, "games", "verdict"];
    for (const metric of data.metrics) head.push(metric.id, `${metric.id}_low`, `${metric.id}_high`);
    const lines = [head.map(quoted).join(",")];
    const number = (x) => (x === null || x === undefined ? "" : String(x));
    for (const view of data.views) for (let i = 0; i < size; i++) for (let j = i; j < size; j++) {
      const k = place(i, j);
      if (view.verdicts[k] === ".") continue;
      const [one, two] = [data.variants[i], i === j ? { id: "", name: "" } : data.variants[j]];
      const line = [String(view.players), view.lineup, view.strength, one.id, two.id, one.name, two.name].map(quoted);
      line.push(number(view.games[k]), data.codes[view.verdicts[k]]);
      for (const metric of data.metrics) {
        const found = estimate(view.values, metric.id, k);
        line.push(number(found?.value), number(found?.low), number(found?.high));
      }
      lines.push(line.join(","));
    }
    return `${lines.join("\n")}\n`;
  };

  // --- controls

  const fill = (id, options) => byId(id).replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
  fill("atlas-metric", [["verdict", "Verdict"], ...data.metrics.map((metric) => [metric.id, metric.title])]);
  fill("atlas-players", data.players.map((players) => [players, String(players)]));
  fill("atlas-strength", [...(data.lineups.length > 1 ? [["all", "all together"]] : []), ...data.lineups]);
  fill("atlas-names", data.variants.map((one) => [one.name, ""]));
  for (const key of ["metric", "players", "strength", "show", "sort"]) {
    byId(`atlas-${key}`).addEventListener("change", (event) => {
      go({ [key]: key === "players" ? Number(event.target.value) : event.target.value });
    });
  }
  byId("atlas-form").addEventListener("submit", (event) => event.preventDefault());
  byId("atlas-search").addEventListener("input", (event) => {
    query = event.target.value;
    refresh();
    const found = data.variants.filter((_, index) => terms().some((term) => matches(index, term))).length;
    say(query.trim() ? `${counted(found, "name")} found` : "");
  });
  byId("as-matrix").addEventListener("click", () => go({ as: "matrix" }));
  byId("as-list").addEventListener("click", () => go({ as: "list" }));
  byId("atlas-csv").addEventListener("click", () => {
    const link = URL.createObjectURL(new Blob([csv()], { type: "text/csv;charset=utf-8" }));
    page.download("atlas.csv", link);
    setTimeout(() => URL.revokeObjectURL(link), 10000);
  });

  const narrow = matchMedia("(max-width: 40rem)");
  const asList = () => !data.pairs || state.as === "list" || (state.as === "" && narrow.matches);
  const refresh = () => {
    for (const key of ["metric", "players", "strength", "show", "sort"]) byId(`atlas-${key}`).value = String(state[key]);
    byId("as-matrix").setAttribute("aria-pressed", String(!asList()));
    byId("as-list").setAttribute("aria-pressed", String(asList()));
    byId("atlas-matrix").hidden = asList();
    byId("atlas-list").hidden = !asList();
    byId("as-matrix").parentElement.hidden = !data.pairs;
    legend();
    if (asList()) list();
    else draw();
  };
  const apply = (wanted) => {
    state = wanted;
    refresh();
    drawPanel();
    if (wanted.problem) say(wanted.problem);
    byId("atlas-problem").textContent = wanted.problem ?? "";
    byId("atlas-problem").hidden = !wanted.problem;
  };

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && state.pair && !event.defaultPrevented) close();
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#pair="]');
    if (!link) return;
    focusNext = true;
    if (!panel.contains(link)) origin = link;
  });
  addEventListener("hashchange", () => apply(read(location.hash)));
  page.onTheme.push((isDark) => { dark = isDark; refresh(); drawPanel(); });
  narrow.addEventListener("change", refresh);
  let width = 0;
  new ResizeObserver(() => {
    if (scroll.clientWidth === width) return;
    width = scroll.clientWidth;
    draw();
    for (const one of charts) one.resize();
  }).observe(scroll);

  byId("atlas-app").hidden = false;
  apply(read(location.hash));
  if (location.hash.includes("=")) byId("atlas").scrollIntoView();
})();
