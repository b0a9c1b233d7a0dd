/** A terminal's screen, as `tmux capture-pane -e` gives it, as an SVG with its colours. Pure. */
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
  const width = Math.ceil(columns * COLUMN + 2 * MARGIN);
  const height = TITLE + lines.length * ROW + 2 * MARGIN - 6;
  let style = {};
  const rows = lines.map((line, i) => {
    const { runs, last } = runsOf(line, style);
    style = last;
    const y = TITLE + MARGIN + i * ROW + 8;
    return runs.map((run) => text(run, y)).join('');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="${FONT_SIZE}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="10" fill="${BACKGROUND}"/>`,
    ...['#e8697a', '#e3c078', '#8fc87a'].map(
      (fill, i) => `<circle cx="${22 + i * 18}" cy="19" r="5.5" fill="${fill}"/>`,
    ),
    `<text x="${width / 2}" y="23" fill="#5c6370" text-anchor="middle">${escaped(title)}</text>`,
    ...rows.filter(Boolean),
    '</svg>',
    '',
  ].join('\n');
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
    if (part.trim() !== '') {
      const blank = part.length - part.trimStart().length;
      runs.push({ text: part.trim(), column: column + blank, style });
    }
    column += widthOf(part);
  }
  return { runs, last: style };
}

function restyled(style, codes) {
  return codes.reduce((now, code) => {
    if (code === 0) return {};
    if (code === 1) return { ...now, bold: true };
    if (code === 2) return { ...now, dim: true };
    if (code === 22) return { ...now, bold: false, dim: false };
    if (code >= 30 && code <= 37) return { ...now, colour: COLOURS[code - 30] };
    if (code >= 90 && code <= 97) return { ...now, colour: COLOURS[code - 90] };
    return code === 39 ? { ...now, colour: undefined } : now;
  }, style);
}

/** Placed and stretched to its columns, so that it stands right whatever font there is. */
function text({ text: said, column, style: { colour, bold, dim } }, y) {
  const x = (MARGIN + column * COLUMN).toFixed(1);
  const length = (widthOf(said) * COLUMN).toFixed(1);
  const look = `fill="${colour ?? FOREGROUND}"${bold ? ' font-weight="bold"' : ''}${dim ? ' opacity="0.6"' : ''}`;
  return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve" ${look}>${escaped(said)}</text>`;
}

function escaped(said) {
  return said.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
