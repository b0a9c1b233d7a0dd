export { agentSdkDriver } from './agent-sdk.ts';
export { apiDriver } from './api.ts';
export { claudeDriver } from './claude.ts';
export { LOW_VALUE_TOOLS, admit, type Admission } from './admission.ts';
export {
  estimate,
  overCeiling,
  type Ceiling,
  type Ceilings,
  type Estimate,
  type Spending,
} from './budget.ts';
export { distillByModel, summarizeByModel, type Asked, type Asking } from './by-model.ts';
export type { ProcessWatch } from './_process-group.ts';
export { chooseDriver, type Choice, type NamedHealth, type Surroundings } from './choose.ts';
export { projectFiles } from './_files.ts';
export type { DistillInput, Distilled, Distiller } from './distiller.ts';
export type { Driver, DriverName, DriverRequest, FailureReason, Usage } from './driver.ts';
export { localDistiller } from './local.ts';
export { parseMemories, parseSummary } from './parse-reply.ts';
export { priceOf, readPrices, usdOf, type PriceList } from './prices.ts';
export { summaryRequest, turnRequest } from './request.ts';
export { sessionTitle, summarizeTurns } from './summary.ts';
export {
  areRelated,
  fold,
  isSameOfTurn,
  statementOf,
  textHash,
  type Folded,
  type Source,
  type Statement,
} from './upkeep/index.ts';
