export { readText } from './_safe-read.ts';
export { slugOf, sourceDrafts } from './claude-code-memory.ts';
export { factsIn, type FactsFound } from './markdown-facts.ts';
export {
  describeTranscript,
  findTranscripts,
  listTranscripts,
  type FoundTranscript,
  type TranscriptFile,
} from './history.ts';
export {
  PEER_NAMES,
  type PeerApi,
  type PeerFound,
  type PeerItem,
  type PeerMemory,
  type PeerName,
  type PeerPlace,
  type PeerPrompt,
  type PeerReader,
  type PeerSession,
  type PeerSource,
} from './peer.ts';
export { clientFolders, detectPeers, peerReader } from './peers.ts';
