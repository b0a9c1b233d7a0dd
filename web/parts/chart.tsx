/** Bars over time, drawn by uPlot, with a tooltip, and with a table of the same figures for screen readers. */
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useLight } from '../theme.ts';

interface Bars {
  readonly name: string;
  /** Class whose `--kind` is its colour; without one it has the page's accent. */
  readonly kind?: string;
  readonly values: readonly number[];
}

interface ChartProps {
  /** Describes the chart for screen readers. */
  readonly label: string;
  /** Names of the places on the x axis: short below the axis, long in the tooltip and the table. */
  readonly places: readonly { readonly short: string; readonly long: string }[];
  /** Stacked, the first at the bottom. */
  readonly bars: readonly Bars[];
  /** A line over the bars, with its own scale on the right. */
  readonly line?: Bars;
}

const HEIGHT = 192;
const AXIS_PX = 28;
const LEFT_PX = 40;
const RIGHT_PX = 44;
const INCREMENTS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000];

export function Chart(props: ChartProps) {
  const { label, places, bars, line } = props;
  const holder = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<{ place: number; left: number; isRight: boolean }>();
  const light = useLight();
  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const plot = new uPlot(
      optionsOf(props, element, (place, left) =>
        setAt(place === undefined ? undefined : { place, left, isRight: left > element.clientWidth / 2 }),
      ),
      dataOf(props),
      element,
    );
    const sized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    sized.observe(element);
    return () => {
      sized.disconnect();
      plot.destroy();
    };
  }, [light, places, bars, line]);
  const shown = [...(line ? [line] : []), ...bars.toReversed()];
  return (
    <div class="chart">
      <div class="canvas" ref={holder} role="img" aria-label={label} />
      {at && (
        <div
          class="tip"
          aria-hidden="true"
          style={
            at.isRight
              ? { right: `calc(100% - ${at.left - 12}px)`, top: 0 }
              : { left: `${at.left + 12}px`, top: 0 }
          }
        >
          <b>{places[at.place]?.long}</b>
          {shown
            .filter(({ values }) => bars.length === 1 || (values[at.place] ?? 0) > 0)
            .map(({ name, values }) => (
              <div key={name}>
                {name} <b>{values[at.place]?.toLocaleString('en')}</b>
              </div>
            ))}
        </div>
      )}
      <details>
        <summary>As a table</summary>
        <FigureTable places={places} shown={shown} />
      </details>
    </div>
  );
}

function FigureTable({
  places,
  shown,
}: {
  readonly places: ChartProps['places'];
  readonly shown: readonly Bars[];
}) {
  return (
    <div class="table-wrap" tabIndex={0} role="group" aria-label="Figures">
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">When</th>
            {shown.map(({ name }) => (
              <th key={name} scope="col" class="n">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {places.map(({ long }, i) => (
            <tr key={long}>
              <th scope="row">{long}</th>
              {shown.map(({ name, values }) => (
                <td key={name} class="n">
                  {values[i]?.toLocaleString('en')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The highest stack first, so that the lower ones are drawn over it. */
function dataOf({ places, bars, line }: ChartProps): uPlot.AlignedData {
  const sums = places.map(() => 0);
  const stacks = bars.map(({ values }) => values.map((value, i) => (sums[i] = (sums[i] ?? 0) + value)));
  return [places.map((_, i) => i), ...stacks.toReversed(), ...(line ? [[...line.values]] : [])];
}

function optionsOf(
  { places, bars, line }: ChartProps,
  element: HTMLElement,
  onPoint: (place: number | undefined, left: number) => void,
): uPlot.Options {
  const soft = colorOf(element, 'soft');
  const ruled = colorOf(element, 'ruled');
  const every = Math.ceil(places.length / Math.max(3, Math.min(places.length, element.clientWidth / 84)));
  const stacked = bars.length > 1;
  const drawn = uPlot.paths.bars?.({ size: [0.72, 44], radius: stacked ? 0 : 0.12 });
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    padding: [8, line ? 0 : 20, 0, 0],
    scales: {
      x: { time: false, range: [-0.5, places.length - 0.5] },
      y: { range: (_, __, most) => [0, Math.max(4, most * 1.1)] },
      line: {
        range: (_, least, most) => [
          Math.max(0, least - (most - least || 1) * 0.6),
          most + (most - least || 1) * 0.2,
        ],
      },
    },
    axes: [
      {
        size: AXIS_PX,
        stroke: soft,
        font: `12px ${getComputedStyle(element).fontFamily}`,
        grid: { show: false },
        ticks: { show: false },
        splits: () => places.map((_, i) => i).filter((i) => i % every === 0),
        values: (_, splits) => splits.map((i) => places[i]?.short ?? ''),
      },
      {
        size: LEFT_PX,
        stroke: soft,
        font: `12px ${getComputedStyle(element).fontFamily}`,
        grid: { stroke: ruled, width: 1 },
        ticks: { show: false },
        incrs: INCREMENTS,
      },
      ...(line
        ? [
            {
              scale: 'line',
              side: 1,
              size: RIGHT_PX,
              stroke: colorOf(element, 'deep'),
              font: `12px ${getComputedStyle(element).fontFamily}`,
              grid: { show: false },
              ticks: { show: false },
              incrs: INCREMENTS,
              values: (_: uPlot, splits: readonly number[]) => splits.map((split) => SHORT.format(split)),
            },
          ]
        : []),
    ],
    series: [
      {},
      ...bars.toReversed().map(({ name, kind }) => ({
        label: name,
        fill: colorOf(element, kind === undefined ? 'tide' : `kind-ink kind-${kind}`),
        width: 0,
        points: { show: false },
        ...(drawn ? { paths: drawn } : {}),
      })),
      ...(line
        ? [
            {
              label: line.name,
              scale: 'line',
              stroke: colorOf(element, 'deep'),
              width: 2,
              points: { size: 6 },
            },
          ]
        : []),
    ],
    hooks: {
      setCursor: [
        (plot) => {
          const { idx, left = -1 } = plot.cursor;
          onPoint(left < 0 ? undefined : (idx ?? undefined), left + LEFT_PX);
        },
      ],
    },
  };
}

/** 1,200,000 → 1.2M, to fit on the axis. */
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 });

/** Resolves a colour of the style sheets for the canvas. */
function colorOf(element: HTMLElement, names: string): string {
  const probe = document.createElement('i');
  probe.className = `probe ${names}`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
