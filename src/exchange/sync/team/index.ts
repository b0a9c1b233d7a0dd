export type { SharePreview } from './sharing.ts';
export { Team } from './team.ts';
export { type TeamView, teamView } from './view.ts';
