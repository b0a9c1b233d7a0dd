export type { SharePreview } from './preview.ts';
export type { AskedProject } from './shareable.ts';
export type { Wish } from './team-project.ts';
export { Team } from './team.ts';
export { type TeamView, teamView } from './view.ts';
