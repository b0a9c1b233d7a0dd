/** Entry of the daemon's worker threads: the writer, which alone changes the stores, and the reader, which answers. */
import { workerData } from 'node:worker_threads';
import { placesIn } from '../../core/index.ts';
import { serveReader } from './reader.ts';
import { serveWriter } from './writer-calls.ts';

const { role, home } = workerData as { role: 'writer' | 'reader'; home: string };
const places = placesIn(home);

if (role === 'writer') serveWriter(places, process.env);
else serveReader(places);
