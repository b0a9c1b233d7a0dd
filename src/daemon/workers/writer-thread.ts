/** Entry of the daemon's writer thread, which alone changes the stores. */
import { workerData } from 'node:worker_threads';
import { placesIn } from '../../core/index.ts';
import { serveWriter } from './writer-calls.ts';

serveWriter(placesIn((workerData as { home: string }).home), process.env); // as worker-pool.ts sends it
