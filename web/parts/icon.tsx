/** Icons, drawn in a square of 20. Always next to a text, so hidden from screen readers. */

const DRAWINGS = {
  overview: 'M3 11.5q2.3-3 4.7 0t4.6 0 4.7 0M3 15.5q2.3-3 4.7 0t4.6 0 4.7 0M3 6h1.5M8 6h1.5M13 6h1.5',
  memories: 'M4 3.5h12v13l-6-3.6-6 3.6z',
  search: 'M8.7 3.5a5.2 5.2 0 1 1 0 10.4 5.2 5.2 0 0 1 0-10.4zM12.6 12.6 17 17',
  projects: 'M3 5.5h5l1.6 2H17v8H3z',
  sessions: 'M3.5 4.5h13v9H9l-3.5 3v-3h-2z',
  live: 'M10 9.9v.2M6.8 13.2a4.5 4.5 0 0 1 0-6.4M13.2 6.8a4.5 4.5 0 0 1 0 6.4M4.5 15.5a7.8 7.8 0 0 1 0-11M15.5 4.5a7.8 7.8 0 0 1 0 11',
  review: 'M3 11.5 5.2 4h9.6L17 11.5V16H3zM3 11.5h4l1 2h4l1-2h4',
  settings: 'M3 6h8M15 6h2M3 14h2M9 14h8M13 4.2v3.6M7 12.2v3.6',
  import: 'M10 3v9M6.5 8.8 10 12.3l3.5-3.5M3.5 13v3.5h13V13',
  team: 'M7 9a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 7 9zM2.5 16.5c.3-3 2-4.6 4.5-4.6s4.2 1.6 4.5 4.6M13 8.7a2.2 2.2 0 1 0-.6-4.3M13.8 11.8c2 .2 3.4 1.7 3.7 4.2',
  light:
    'M10 6.8a3.2 3.2 0 1 1 0 6.4 3.2 3.2 0 0 1 0-6.4zM10 2v1.6M10 16.4V18M2 10h1.6M16.4 10H18M4.4 4.4l1.1 1.1M14.5 14.5l1.1 1.1M4.4 15.6l1.1-1.1M14.5 5.5l1.1-1.1',
  dark: 'M16 11.8A6.6 6.6 0 0 1 8.2 4a6.6 6.6 0 1 0 7.8 7.8z',
  system: 'M3 4.5h14v9H3zM7 16.5h6M10 13.5v3',
  lock: 'M5 9h10v7.5H5zM7 9V6.6a3 3 0 0 1 6 0V9',
  help: 'M7.6 7.5a2.4 2.4 0 1 1 3.5 2.1c-.8.4-1.1.9-1.1 1.8M10 14.2v.1',
  menu: 'M3.5 6h13M3.5 10h13M3.5 14h13',
  ok: 'M4.5 10.5 8.2 14l7.3-8',
  warn: 'M10 3.5 17 16H3zM10 8.2v3.6M10 13.9v.1',
  bad: 'M5.5 5.5l9 9M14.5 5.5l-9 9',
  edit: 'M4 16l.7-3.2L13 4.5a1.4 1.4 0 0 1 2 0l.5.5a1.4 1.4 0 0 1 0 2l-8.3 8.3z',
  move: 'M3.5 10h12M11.5 6l4 4-4 4',
  replace: 'M4 7.5h11M12 4.5l3 3-3 3M16 12.5H5M8 9.5l-3 3 3 3',
  forget: 'M4 5.5h12M8 5.5V3.8h4v1.7M5.5 5.5l.7 11h7.6l.7-11M8.5 8.5v5M11.5 8.5v5',
  recall: 'M4 10a6 6 0 1 1 1.8 4.3M4 16v-3.6h3.6',
} as const;

export type IconName = keyof typeof DRAWINGS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={DRAWINGS[name]} />
    </svg>
  );
}
