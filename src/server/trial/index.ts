export {
  isInUse,
  missingPackages,
  openEmbedded,
  TRIAL_PACKAGES,
  type Embedded,
  type Trial,
} from './embedded.ts';
export { remoteOperator, serveOperator, type OperatorCalls } from './remote-operator.ts';
