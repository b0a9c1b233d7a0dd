/** The connection together with the full text and the vectors of memories and turns, which keep state in memory. */
import { Database } from './connection.ts';
import { FullText } from './text/full-text.ts';
import { MEMORY_COLUMNS } from './text/searchable.ts';
import { Vectors } from './vectors/vectors.ts';

export class Tables extends Database {
  readonly memoryText = new FullText(this, 'memory', MEMORY_COLUMNS);
  readonly memoryVectors = new Vectors(this, 'memory');
  readonly turnText = new FullText(this, 'turn', ['prompt', 'answer']);
  readonly turnVectors = new Vectors(this, 'turn');
}
