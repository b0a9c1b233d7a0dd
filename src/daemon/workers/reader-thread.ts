/** Entry of the daemon's reader thread, which answers. */
import { workerData } from 'node:worker_threads';
import { placesIn } from '../../core/index.ts';
import { serveReader } from './reader.ts';

serveReader(placesIn((workerData as { home: string }).home)); // as worker-pool.ts sends it
