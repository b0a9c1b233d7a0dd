/**
 * Fills invented projects up with memories of other ones, as a project that has been used for long has many. Takes those
 * nearest in meaning to its own: memories about other matters are too easy to distinguish.
 */
import { createHash } from 'node:crypto';
import { embeddedText } from '../src/database/index.ts';
import { fillers, memoryOf, type Fill, type WrittenMemory, type WrittenProject } from './_gate.ts';
import type { BenchVectors } from './_vectors.ts';

/** The nearest memories, of which as many as needed are chosen by hash: more than the largest size needs. */
const NEAREST = 900;

interface Other {
  readonly project: WrittenProject;
  readonly memory: WrittenMemory;
  readonly vector: Float32Array;
}

/** Returns a function that fills projects up to a size; a larger size has the same memories and more. */
export async function nearFill(vectors: BenchVectors): Promise<(size: number) => Fill> {
  const others: Other[] = [];
  for (const project of fillers()) others.push(...(await embedded(project, vectors)));
  const known = new Map<string, readonly WrittenMemory[]>();
  return (size) => async (project) => {
    if (size === 0) return [];
    const near = known.get(project.name) ?? nearestTo(await embedded(project, vectors), others);
    known.set(project.name, near);
    return near.slice(0, Math.max(0, size - project.memories.length));
  };
}

async function embedded(project: WrittenProject, vectors: BenchVectors): Promise<readonly Other[]> {
  const made = await vectors.of(project.memories.map((memory) => embeddedText(memoryOf(memory))));
  return project.memories.flatMap((memory, i) => (made[i] ? [{ project, memory, vector: made[i] }] : []));
}

/**
 * Returns the nearest memories in an order by hash, spread over the days of the project's own. A project that has a memory
 * of the same name is left out: it may be about the same.
 */
function nearestTo(own: readonly Other[], others: readonly Other[]): readonly WrittenMemory[] {
  const name = own[0]?.project.name ?? '';
  const ids = new Set(own.map(({ memory }) => memory.id));
  const isAlike = ({ name: other, memories }: WrittenProject): boolean =>
    other === name || memories.some(({ id }) => ids.has(id));
  const alike = new Set(others.map(({ project }) => project).filter(isAlike));
  return others
    .filter(({ project }) => !alike.has(project))
    .map((other) => ({ other, near: Math.max(...own.map(({ vector }) => dot(vector, other.vector))) }))
    .toSorted((a, b) => b.near - a.near)
    .slice(0, NEAREST)
    .map(({ other: { project, memory } }) => ({ ...memory, id: `${project.name}/${memory.id}` }))
    .map((memory) => ({ memory, hash: createHash('sha256').update(`${name}\n${memory.id}`).digest('hex') }))
    .toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
    .map(({ memory }, i) => ({ ...memory, at: own[i % own.length]?.memory.at ?? memory.at }));
}

/** A loop, because it runs some ten million times. */
function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
