/** Screens of a terminal, as `tmux capture-pane -e` gives them, as an SVG with their colours: one, or a film. Pure. */
import { widthOf } from '../src/cli/index.ts';

const FONT_SIZE = 14;
const COLUMN = 8.43; // of a monospace font at that size
const ROW = 20;
const MARGIN = 18;
const TITLE = 34;
const BACKGROUND = '#16181d';
const FOREGROUND = '#d7dae0';
/** Colours 30 to 37, and the bright ones 90 to 97. */
const COLOURS = ['#5c6370', '#e8697a', '#8fc87a', '#e3c078', '#6cb0f2', '#c98be0', '#56c2c9', '#d7dae0'];

/**
 * @param {string} screen lines with SGR sequences
 * @param {{title: string, columns: number}} options
 */
export function terminalSvg(screen, { title, columns }) {
  const lines = screen.replace(/\s+$/, '').split('\n');
  const size = sizeOf(columns, lines.length);
  return [
    head(size, title),
    ...window(size),
    titleBar(size, title),
    ...rowsOf(lines).filter(Boolean),
    '</svg>',
    '',
  ].join('\n');
}

/**
 * A film that repeats. A row that stays the same is written once, and CSS shows it at its time. Where nothing moves, by
 * the reader's wish or for lack of CSS, the last screen is shown.
 * @param {{screen: string, title: string, ms: number}[]} frames
 * @param {{title: string, columns: number}} options
 */
export function terminalFilm(frames, { title, columns }) {
  const screens = frames.map(({ screen }) => screen.replace(/\s+$/, '').split('\n'));
  const size = sizeOf(columns, Math.max(...screens.map((lines) => lines.length)));
  const drawn = screens.map((lines, i) => [titleBar(size, frames[i].title), ...rowsOf(lines)]);
  const total = frames.reduce((sum, { ms }) => sum + ms, 0);
  const startOf = (frame) => frames.slice(0, frame).reduce((sum, { ms }) => sum + ms, 0) / total;
  const spans = Array.from({ length: Math.max(...drawn.map((rows) => rows.length)) }, (_, row) =>
    spansOf(drawn.map((rows) => rows[row] ?? '')),
  ).flat();
  const names = new Map();
  const parts = spans.map(({ markup, from, to }) => {
    if (from === 0 && to === frames.length) return markup;
    const key = `${from}-${to}`;
    if (!names.has(key)) names.set(key, `t${names.size}`);
    return `<g class="${names.get(key)}${to === frames.length ? ' z' : ''}">${markup}</g>`;
  });
  const times = [...names].map(([key, name]) => {
    const [from, to] = key.split('-').map((frame) => percent(startOf(Number(frame))));
    const before = from === '0%' ? '' : '0%{visibility:hidden}';
    const after = to === '100%' ? '' : `${to}{visibility:hidden}`;
    return `@keyframes ${name}{${before}${from}{visibility:visible}${after}}.${name}{animation:${name} ${total / 1000}s step-end infinite}`;
  });
  const style = `<style>g{visibility:hidden}.z{visibility:visible}${times.join('')}@media (prefers-reduced-motion:reduce){g{animation:none}}</style>`;
  return [head(size, title), style, ...window(size), ...parts, '</svg>', ''].join('\n');
}

/** The stretches of frames in which a row stays the same; empty rows are left out. */
function spansOf(markups) {
  const spans = [];
  for (const [frame, markup] of markups.entries()) {
    const last = spans.at(-1);
    if (last?.markup === markup) last.to = frame + 1;
    else spans.push({ markup, from: frame, to: frame + 1 });
  }
  return spans.filter(({ markup }) => markup !== '');
}

function percent(share) {
  return `${Number((100 * share).toFixed(2))}%`;
}

function sizeOf(columns, rows) {
  return { width: Math.ceil(columns * COLUMN + 2 * MARGIN), height: TITLE + rows * ROW + 2 * MARGIN - 6 };
}

function head({ width, height }, title) {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="${FONT_SIZE}">\n<title>${escaped(title)}</title>`;
}

function window({ width, height }) {
  return [
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10" fill="${BACKGROUND}" stroke="#3b4048"/>`,
    ...['#e8697a', '#e3c078', '#8fc87a'].map(
      (fill, i) => `<circle cx="${22 + i * 18}" cy="19" r="5.5" fill="${fill}"/>`,
    ),
  ];
}

function titleBar({ width }, title) {
  return `<text x="${width / 2}" y="23" fill="#8b919d" text-anchor="middle">${escaped(title)}</text>`;
}

/** The markup of each line; a style lasts until the next line changes it. */
function rowsOf(lines) {
  let style = {};
  return lines.map((line, i) => {
    const { runs, last } = runsOf(line, style);
    style = last;
    const top = TITLE + MARGIN + i * ROW + 8;
    return runs.map((run) => background(run, top) + text(run, top)).join('');
  });
}

/** Runs of one style, each with the column it begins at. */
function runsOf(line, before) {
  const runs = [];
  let style = before;
  let column = 0;
  // oxlint-disable-next-line no-control-regex
  for (const part of line.split(/(\u001b\[[\d;]*m)/)) {
    const codes = /^\u001b\[([\d;]*)m$/.exec(part)?.[1];
    if (codes !== undefined) {
      style = restyled(style, codes.split(';').map(Number));
      continue;
    }
    const isSeen = part.trim() !== '';
    if (isSeen || (part !== '' && (style.background || style.inverse))) {
      const blank = isSeen ? part.length - part.trimStart().length : 0;
      const whole = { column, width: widthOf(part) };
      runs.push({ text: part.trim(), column: column + blank, whole, style });
    }
    column += widthOf(part);
  }
  return { runs, last: style };
}

function restyled(style, codes) {
  let now = style;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at];
    if (code === 38 || code === 48) {
      const [colour, length] = extended(codes.slice(at + 1));
      now = { ...now, [code === 38 ? 'colour' : 'background']: colour };
      at += length;
    } else now = simple(now, code);
  }
  return now;
}

function simple(now, code) {
  if (code === 0) return {};
  if (code === 1) return { ...now, bold: true };
  if (code === 2) return { ...now, dim: true };
  if (code === 7 || code === 27) return { ...now, inverse: code === 7 };
  if (code === 22) return { ...now, bold: false, dim: false };
  if (code >= 30 && code <= 37) return { ...now, colour: COLOURS[code - 30] };
  if (code >= 90 && code <= 97) return { ...now, colour: COLOURS[code - 90] };
  if (code === 39) return { ...now, colour: undefined };
  return code === 49 ? { ...now, background: undefined } : now;
}

/** `5;174` or `2;215;119;87`: the colour, and how many codes it takes. */
function extended([kind, ...rest]) {
  if (kind === 2) return [hex(rest.slice(0, 3)), 4];
  const [n = 0] = rest;
  if (n < 16) return [COLOURS[n % 8], 2];
  if (n >= 232) return [hex(Array.from({ length: 3 }, () => 8 + (n - 232) * 10)), 2];
  const level = (step) => (step === 0 ? 0 : 55 + 40 * step);
  return [hex([Math.floor((n - 16) / 36), Math.floor((n - 16) / 6) % 6, (n - 16) % 6].map(level)), 2];
}

function hex(channels) {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

function background({ whole, style: { background: fill, inverse, colour } }, y) {
  const shown = inverse ? (colour ?? FOREGROUND) : fill;
  if (!shown) return '';
  const x = (MARGIN + whole.column * COLUMN).toFixed(1);
  return `<rect x="${x}" y="${y - 15}" width="${(whole.width * COLUMN).toFixed(1)}" height="${ROW}" fill="${shown}"/>`;
}

/** Placed and stretched to its columns, so that it stands right whatever font there is. */
function text({ text: said, column, style: { colour, background: behind, inverse, bold, dim } }, y) {
  if (said === '') return '';
  const x = (MARGIN + column * COLUMN).toFixed(1);
  const length = (widthOf(said) * COLUMN).toFixed(1);
  const look = `fill="${inverse ? (behind ?? BACKGROUND) : (colour ?? FOREGROUND)}"${bold ? ' font-weight="bold"' : ''}${dim ? ' opacity="0.6"' : ''}`;
  return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve" ${look}>${escaped(said)}</text>`;
}

function escaped(said) {
  return said.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
